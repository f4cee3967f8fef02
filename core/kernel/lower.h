// Lowering: Energy + Plan -> KernelProgram. The plan decides what is stored and where products are
// accumulated. Everything else (the kernels of each phase, the layout and update of the solver's
// vectors) is decided here, once, for all energies. The solver kernels (direction, update, damping,
// retraction ...) are written in the same loop-nest language as the energy's, so that every backend
// runs the same definition.
#pragma once

#include <vector>

#include "core/base/diagnostic.h"
#include "core/kernel/preconditioner.h"
#include "core/kernel/program.h"
#include "core/schedule/plan.h"

namespace thallo {

struct ProgramOptions {
  SolverKind solver = SolverKind::GaussNewton;
  // Never null, neither of them.
  const Preconditioner* preconditioner = jacobi_preconditioner();
  const LinearSolver* linear_solver = pcg_solver();
  // If the linear solver eliminates unknowns: one of the space that it eliminates, which must pass
  // Elimination::check(), and for a solver that takes a matrix check_kept(). Invalid for other
  // solvers. The preconditioner must then be in blocks, which the elimination inverts.
  FieldId eliminated = {};
  // True if a solver that takes the Schur complement finds its first steps by conjugate gradients
  // (SolverOptions::loose_iterations): the program has the linear loop, too. Levenberg-Marquardt
  // only.
  bool iterates_first = false;
  // Mixed only with a linear loop: a linear solver that takes a matrix has nothing to do in float.
  Precision precision = Precision::Float;
  // True if the program has kernels for Phase::Keep and Phase::GoBack.
  bool keeps_point = false;
  // True if the program has kernels for Phase::GroupSums.
  bool sums_groups = false;
  // True if every sum is added up in a fixed order (KernelProgram::is_deterministic).
  bool is_deterministic = false;
  // Parts whose expressions have more nodes than this get several kernels of each kind
  // (lowering/pieces.h).
  std::size_t max_kernel_nodes = 2000;
  PassOptions passes = {};

  // True if the linear solver takes the Schur complement as a matrix.
  bool forms_schur_complement() const { return eliminated.valid() && linear_solver->is_direct(); }
  bool has_linear_loop() const { return iterates_first || !linear_solver->is_direct(); }
  // True if PCG computes its residual anew now and then. A preconditioner that has steps of its own
  // leaves few iterations.
  bool resets_residual() const {
    return solver == SolverKind::LevenbergMarquardt && has_linear_loop() &&
           preconditioner->form() != InverseForm::Steps;
  }
};

// If an element of an unknown space has more channels than this, it gets the jacobi preconditioner
// instead of a dense block.
inline constexpr int max_block_channels = 16;
inline bool has_block(const UnknownSpace& space) { return space.channels <= max_block_channels; }
// Returns the unknowns of spaces without blocks.
std::vector<FieldId> unknowns_without_block(const KernelProgram& program);

// Fail if there is no program for these options, or none with such a part; the message says what to
// change in the options or in the schedule.
Expected<void> check_part(const Energy& energy, const Part& part, const ProgramOptions& options);
Expected<void> check_program(const Energy& energy, const Plan& plan, const ProgramOptions& options);
// Makes the program. `plan` and `options` must pass check_program(); otherwise throws
// InternalError.
KernelProgram make_program(const Energy& energy, const Plan& plan, const ProgramOptions& options);
// Makes the program of the solver's own steps alone, for estimates. `plan` has no parts.
// If `starts_product`, they are the steps beside parts of which one writes all of Ap.
KernelProgram make_solver_program(const Energy& energy, const Plan& plan,
                                  const ProgramOptions& options, bool starts_product);

}  // namespace thallo
