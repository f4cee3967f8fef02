// The base class of the lowerings of the solver's own kernels. docs/algorithms.md has the update
// rules, under "Levenberg-Marquardt", "The linear solve" and "Preconditioners";
// core/kernel/solver_vector.h lists the vectors.
//
// Kernels that treat every scalar alike run flat over `unknown_scalars`; those that need blocks or
// the unknowns themselves run over the elements of the unknown spaces, one section each.
// Reductions go through the accumulator slots SumA..SumC, Largest, which every epilogue leaves at
// zero. Private to lowering.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

// A linear solve ends when r.z falls below this: what follows would change nothing, and could
// divide by a number whose reciprocal is not finite.
inline constexpr double SmallestRz = 1e-250;

// Of the kernels of a linear iteration.
inline constexpr Gate while_running{StateSlot::Stop, 0};
inline constexpr Gate while_resetting{StateSlot::Resetting, 1};

class SolverKernels {
 public:
  explicit SolverKernels(ProgramBuilder& builder) : b_(builder), g_(builder.graph()) {}

 protected:
  using Slot = StateSlot;
  using Vector = SolverVector;

  ExprId constant(double value) { return g_.constant(value); }
  ExprId less(ExprId a, ExprId b) { return g_.binary(Op::Less, a, b); }
  ExprId less_eq(ExprId a, ExprId b) { return g_.binary(Op::LessEq, a, b); }
  ExprId either(ExprId a, ExprId b) { return g_.binary(Op::Or, a, b); }

  // One section over every scalar of the unknown vector.
  IndexId flat_section(Kernel& kernel) {
    const std::vector<DomainId> i = b_.element_of({b_.program().unknown_scalars});
    kernel.sections.push_back({.domains = i, .body = {}});
    return g_.indices().intern(i);
  }
  ExprId flat(Vector v, IndexId i) { return b_.read(b_.flat(v), i); }
  Statement store_flat(Vector v, IndexId i, ExprId value) {
    return {Store{b_.flat(v), i, 0, value}};
  }

  void clear_in_epilogue(Kernel& kernel, std::initializer_list<Slot> slots) {
    for (const Slot slot : slots) kernel.epilogue.push_back(b_.store_state(slot, constant(0)));
  }
  void set_in_epilogue(Kernel& kernel, Slot slot, ExprId value) {
    kernel.epilogue.push_back(b_.store_state(slot, value));
  }

  bool preconditioned() const { return b_.options().preconditioner != PreconditionerKind::None; }

  // Gauss-Newton needs x only when the linear solve is over. So x += alpha p is left to the next
  // direction kernel, which reads p anyway, and after the last iteration to the retraction.
  bool delays_x() const {
    return !b_.damped() && !b_.eliminates() && !b_.options().linear_solver->is_direct();
  }

  bool uses_blocks(std::size_t space) const {
    return b_.options().preconditioner == PreconditionerKind::BlockJacobi &&
           has_block(b_.program().spaces[space]);
  }

  // A scalar of the elements of a space.
  struct ElementScalar {
    FieldId unknown;
    int channel = 0;
  };
  // In the order of the rows of a block.
  std::vector<ElementScalar> scalars_of(std::size_t space) const {
    std::vector<ElementScalar> scalars;
    for (const FieldId unknown : b_.program().spaces[space].unknowns) {
      for (int c = 0; c < b_.energy().field(unknown).tangent_channels(); ++c)
        scalars.push_back({unknown, c});
    }
    return scalars;
  }
  ExprId read(Vector v, const ElementScalar& s, IndexId here) {
    return b_.read(b_.vector_view(v, s.unknown), here, s.channel);
  }
  Statement store(Vector v, const ElementScalar& s, IndexId here, ExprId value) {
    return {Store{b_.vector_view(v, s.unknown), here, s.channel, value}};
  }

  // Row i of the product of the inverse of an element's block with `values`.
  ExprId block_inverse_times(std::size_t space, IndexId here, std::size_t i,
                             const std::vector<ExprId>& values) {
    std::vector<ExprId> terms;
    for (std::size_t j = 0; j < values.size(); ++j) {
      const std::size_t row = std::max(i, j);
      const int position = static_cast<int>(row * (row + 1) / 2 + std::min(i, j));
      terms.push_back(g_.mul(b_.read(b_.block_inverse(space), here, position), values[j]));
    }
    return g_.add(terms);
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
};

}  // namespace thallo
