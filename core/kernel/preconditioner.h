// A preconditioner M of conjugate gradients stands in for JtJ + D: every iteration computes
// z = M^-1 r (docs/algorithms.md, "Preconditioners"). It declares the form in which it has M^-1,
// which determines what a program stores and computes for it:
//
//   Identity   nothing: z is r
//   Diagonal   a number for each unknown scalar
//   Blocks     a block for each element of the unknowns, made of its diagonal block of JtJ + D
//   Steps      whatever it likes, in steps of its own between the kernels of an iteration
//
// The numbers of the first three are made and used in kernels that a linear solve has anyway
// (lowering/damping.cpp, lowering/pcg.cpp). All preconditioners are in a registry, so that plugins
// can add others; their names are the values of the option preconditioner.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/registry.h"
#include "core/energy/energy.h"
#include "core/kernel/program.h"
#include "core/linear/linear_solver.h"

namespace thallo {

class ProgramBuilder;
struct PartExpressions;

enum class InverseForm { Identity, Diagonal, Blocks, Steps };

// What a diagonal entry of JtJ + D is made of.
struct DiagonalEntry {
  ExprId d;        // that of JtJ
  ExprId damping;  // that of D; invalid in Gauss-Newton
  ExprId length;   // l + sqrt d, of a column of J (docs/algorithms.md); never zero
};

// The inverse of a block, as a lower triangle row by row, like the block.
struct BlockInverse {
  std::vector<ExprId> entries;
  ExprId is_valid;  // boolean: false where the block has no inverse
};

// Stateless.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  virtual std::string_view name() const = 0;  // as typed: "block_jacobi"
  virtual std::string_view doc() const = 0;   // what it does and what it is for, in a few words
  virtual InverseForm form() const = 0;

  // Fail where it cannot be had; the message says what stands in the way. A linear solver that
  // eliminates unknowns inverts their blocks, and conjugates what is left by blocks, too.
  virtual Expected<void> check_energy(const Energy&) const { return {}; }
  virtual Expected<void> check_solver(const LinearSolver& solver) const;

  // Returns the inverse of an entry where M is diagonal: under every form but Steps of all
  // elements with more than max_block_channels channels, and of those whose block has no inverse.
  // It need not look at excluded entries, and what is smaller than floats hold becomes the smallest
  // of them.
  virtual ExprId invert(ExprGraph& graph, const DiagonalEntry& entry) const;

  // Of Blocks: returns the inverse of the block of an element with so many channels. Rows of
  // excluded channels are those of the identity.
  virtual BlockInverse invert_block(ExprGraph& graph, std::size_t num_channels,
                                    const std::vector<ExprId>& entries) const;

  // Of Steps: adds to Phase::Linearize what stores the numbers of JtJ that M is made of.
  virtual void lower_matrix(ProgramBuilder&, const std::vector<PartExpressions>&) const {}
  // Returns how many iterations conjugate gradients are expected to take with it, to choose among
  // preconditioners (core/problem/choose_linear_solver.h). One that expects no fewer than the
  // diagonal of JtJ takes is used only if it is named.
  virtual double expected_iterations(const LinearCase& the_case) const {
    return the_case.diagonal_iterations();
  }

  // Return the steps that make M^-1 at the start of a linear solve, once D is there, and those that
  // compute z of r, under that gate. They may add kernels and buffers to the program.
  virtual std::vector<Step> steps_to_invert(KernelProgram&) const { return {}; }
  virtual std::vector<Step> steps_to_apply(KernelProgram&, std::optional<Gate>) const { return {}; }
};

using PreconditionerRegistry = Registry<Preconditioner>;

// Thallo's own preconditioners; never null.
const Preconditioner* no_preconditioner();
const Preconditioner* jacobi_preconditioner();
const Preconditioner* block_jacobi_preconditioner();
const Preconditioner* multigrid_preconditioner();
// Adds them to a registry, into which a program may also load plugins.
void add_preconditioners(PreconditionerRegistry& registry);
// A registry that contains only them.
const PreconditionerRegistry& own_preconditioners();

}  // namespace thallo
