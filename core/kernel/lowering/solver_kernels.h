// The base class of the lowerings of the solver's own kernels. docs/algorithms.md has the update
// rules, under "Levenberg-Marquardt", "The linear solve" and "Preconditioners";
// core/kernel/solver_vector.h lists the vectors.
//
// Kernels that treat every scalar alike run flat over `unknown_scalars` where vectors are plain;
// others run over the elements of the unknown spaces, one section each.
// Reductions go through the accumulator slots SumA..SumC, Largest, which every epilogue leaves at
// zero. Private to lowering.
#pragma once

#include <initializer_list>
#include <optional>
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

  // A scalar of the unknowns at a point of a kernel.
  struct Scalar {
    IndexId here;
    FieldId unknown;  // invalid where the kernel runs flat
    int channel = 0;
  };
  // The scalars at a point of a kernel: those of an element, in the order of the rows of its block,
  // or where the kernel runs flat one.
  struct Rows {
    Block& body;
    std::vector<Scalar> scalars;
    std::optional<std::size_t> space;  // of the element
    IndexId here() const { return scalars.front().here; }
  };
  std::vector<Scalar> scalars_of(std::size_t space, IndexId here) const {
    std::vector<Scalar> scalars;
    for (const FieldId unknown : b_.program().spaces[space].unknowns) {
      for (int c = 0; c < b_.energy().field(unknown).tangent_channels(); ++c)
        scalars.push_back({here, unknown, c});
    }
    return scalars;
  }

  // Add sections to a kernel, whose statements `rows` adds: one over every scalar of the unknown
  // vector, or where that is blocked, and has gaps, one for each space, and one for each space of
  // those that are eliminated, or of all others.
  template <class AddRows>
  void for_each_scalar(Kernel& kernel, AddRows add_rows) {
    if (b_.has_members()) {
      // An element tells its member.
      return for_each_element(kernel, false, [&](const Rows& rows) {
        for (const Scalar& s : rows.scalars) add_rows(Rows{rows.body, {s}, rows.space});
      });
    }
    if (b_.program().vector_order == VectorOrder::Blocked) {
      for_each_element(kernel, false, add_rows);
      return for_each_element(kernel, true, add_rows);
    }
    const std::vector<DomainId> i = b_.element_of({b_.program().unknown_scalars});
    kernel.sections.push_back({.domains = i});
    add_rows(Rows{kernel.sections.back().body, {{g_.indices().intern(i), {}}}, {}});
  }
  template <class AddRows>
  void for_each_element(Kernel& kernel, bool are_eliminated, AddRows add_rows) {
    for (std::size_t s = 0; s < b_.program().spaces.size(); ++s) {
      if (b_.program().spaces[s].is_eliminated != are_eliminated) continue;
      const std::vector<DomainId> domains = b_.element_of(b_.program().spaces[s].dims);
      kernel.sections.push_back({.domains = domains});
      add_rows(Rows{kernel.sections.back().body, scalars_of(s, g_.indices().intern(domains)), s});
    }
  }
  // Of the scalars that the linear solver keeps.
  template <class AddRows>
  void for_each_kept(Kernel& kernel, AddRows add_rows) {
    b_.eliminates() ? for_each_element(kernel, false, add_rows) : for_each_scalar(kernel, add_rows);
  }

  FieldId view(Vector v, const Scalar& s) {
    return s.unknown.valid() ? b_.vector_view(v, s.unknown) : b_.flat(v);
  }
  ExprId read(Vector v, const Scalar& s) { return b_.read(view(v, s), s.here, s.channel); }
  Statement store(Vector v, const Scalar& s, ExprId value) {
    return {Store{view(v, s), s.here, s.channel, value}};
  }
  // Boolean. A scalar that is left out has an inverse of 0, and masks are bytes.
  ExprId is_free(const Scalar& s) {
    if (s.unknown.valid()) {
      const FieldId free = b_.free_channels(s.unknown);
      if (!free.valid()) return b_.is_free(s.unknown, s.here);
      return g_.logical_not(g_.binary(Op::Eq, b_.read(free, s.here, s.channel), constant(0)));
    }
    if (!b_.holds_scalars()) return g_.boolean(true);
    return g_.logical_not(g_.binary(Op::Eq, read(Vector::InverseDiagonal, s), constant(0)));
  }

  void clear_in_epilogue(Kernel& kernel, std::initializer_list<Slot> slots) {
    for (const Slot slot : slots) kernel.epilogue.push_back(b_.store_state(slot, constant(0)));
  }
  void set_in_epilogue(Kernel& kernel, Slot slot, ExprId value) {
    kernel.epilogue.push_back(b_.store_state(slot, value));
  }

  bool has_z() const { return b_.preconditioner().form() != InverseForm::Identity; }
  bool has_steps() const { return b_.preconditioner().form() == InverseForm::Steps; }
  // True if the first z is not known where a linear solve is damped (damping.cpp).
  bool starts_later() const { return b_.eliminates() || has_steps(); }
  // Sets what SumA, the first r.z, decides.
  void set_start(Kernel& kernel) {
    const ExprId rz = b_.state(Slot::SumA);
    set_in_epilogue(kernel, Slot::Rz, rz);
    set_in_epilogue(kernel, Slot::Stop, g_.logical_not(less(constant(SmallestRz), rz)));
  }

  // Gauss-Newton needs x only when the linear solve is over. So x += alpha p is left to the next
  // direction kernel, which reads p anyway, and after the last iteration to the retraction.
  bool delays_x() const { return !b_.damped() && !b_.eliminates() && b_.has_linear_loop(); }

  // Of what Phase::Damp computes for the linear loop alone, where a step may be solved directly.
  std::optional<Gate> if_loop_follows() const {
    return b_.forms_schur_complement() ? std::optional(while_running) : std::nullopt;
  }

  std::size_t eliminated_space() const { return b_.block_row(b_.options().eliminated, 0)->space; }

  // Row i of the product of the inverse of an element's block with `values`.
  ExprId block_inverse_times(const Rows& element, std::size_t i,
                             const std::vector<ExprId>& values) {
    std::vector<ExprId> terms;
    for (std::size_t j = 0; j < values.size(); ++j) {
      const int entry = static_cast<int>(triangle_position(i, j));
      terms.push_back(
          g_.mul(b_.read(b_.block_inverse(*element.space), element.here(), entry), values[j]));
    }
    return g_.add(terms);
  }

  // Adds the sum of these shares of p.Ap, if there are any.
  void add_share_of_product(Block& body, const std::vector<ExprId>& shares) {
    if (shares.empty()) return;
    for (Statement& share : b_.share_of_product(g_.add(shares))) body.push_back(std::move(share));
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
};

}  // namespace thallo
