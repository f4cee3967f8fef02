#include "core/kernel/lowering/operators.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace thallo {
namespace {

class ApplyLowering {
 public:
  ApplyLowering(ProgramBuilder& builder, const PartExpressions& e, ProductGathers& gathers)
      : b_(builder), g_(builder.graph()), e_(e), gathers_(gathers) {}

  void run() {
    if (e_.jp_targets.empty()) return;
    const std::vector<ExprId> jp = jacobian_product(b_, e_);
    const std::vector<ExprId> factors = weighted(b_, e_, jp);
    if (stores_jp(e_.part->strategy)) {
      const Accumulation sums = addends(store_jp(jp, factors), e_.part->jt);
      gather(Role::Jt, "gather_jt", sums, ProductShare::Counted);
      scatter(Role::Jt, "apply_jt", sums, {});
      return;
    }
    const Accumulation sums = addends(factors, e_.part->jtjp);
    const bool is_all_gathered = !sums.gathered.empty() && sums.scattered.empty();
    gather(Role::JtJp, "gather_jtjp", sums,
           is_all_gathered ? ProductShare::OfSum : ProductShare::Counted);
    if (!is_all_gathered) scatter(Role::JtJp, "apply_jtjp", sums, p_ap(jp, factors));
  }

 private:
  // The part's share of p.Ap is the sum of w (Jp)^2.
  Block p_ap(const std::vector<ExprId>& jp, const std::vector<ExprId>& weighted) {
    std::vector<ExprId> squares;
    for (std::size_t r = 0; r < jp.size(); ++r) squares.push_back(g_.mul(jp[r], weighted[r]));
    return b_.share_of_product(g_.add(squares));
  }

  // Makes the kernel that stores the weighted Jp, and returns reads of it. A Jp that is constant,
  // because the residual does not depend on the unknowns, is returned instead of stored.
  std::vector<ExprId> store_jp(const std::vector<ExprId>& jp, const std::vector<ExprId>& weighted) {
    Kernel kernel = part_kernel(*e_.part, Role::Jp, "apply_jp");
    Section section{.domains = e_.domains()};
    const IndexId here = g_.indices().intern(e_.domains());
    std::vector<ExprId> stored;
    for (std::size_t r = 0; r < jp.size(); ++r) {
      if (g_.is_constant(weighted[r])) {
        stored.push_back(weighted[r]);
        continue;
      }
      const FieldId field =
          b_.stored_field(BufferKind::Product, fmt::format("Jp.{}", e_.part->name), e_.domains(), 1,
                          e_.part->jp_type);
      section.body.push_back({Store{field, here, 0, weighted[r]}});
      stored.push_back(b_.read(field, here));
    }
    std::ranges::move(p_ap(jp, weighted), std::back_inserter(section.body));
    kernel.sections.push_back(std::move(section));
    b_.launch_apply(std::move(kernel));
    return stored;
  }

  // None of a part that reads eliminated unknowns only.
  Accumulation addends(const std::vector<ExprId>& factors, ComputeAt where) {
    return accumulated(b_, transposed_addends(b_, e_, factors), where);
  }
  void gather(Role role, const char* name, const Accumulation& sums, ProductShare share) {
    if (sums.gathered.empty()) return;
    gathers_.add(part_kernel(*e_.part, role, name), *e_.part, sums.gathered, share);
  }
  void scatter(Role role, const char* name, const Accumulation& sums, Block also) {
    Kernel kernel = part_kernel(*e_.part, role, name);
    thallo::scatter(kernel, e_.domains(), sums.scattered, std::move(also));
    if (!kernel.sections.empty()) gathers_.add_scatter(std::move(kernel));
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
  const PartExpressions& e_;
  ProductGathers& gathers_;
};

}  // namespace

std::vector<ExprId> weighted(ProgramBuilder& builder, const PartExpressions& e,
                             std::vector<ExprId> jp) {
  for (std::size_t r = 0; r < jp.size(); ++r) jp[r] = builder.graph().mul(e.weights[r], jp[r]);
  return jp;
}

std::vector<Addend> transposed_addends(ProgramBuilder& builder, const PartExpressions& e,
                                       const std::vector<ExprId>& factors) {
  ExprGraph& g = builder.graph();
  std::vector<Addend> result;
  for (const Target& t : e.targets) {
    const ExprId value = transposed_product(
        g, t, [&](const JacobianEntry& entry) { return factors[entry.residual]; });
    if (g.is_constant(value, 0)) continue;
    result.push_back({.field = builder.vector_view(SolverVector::Ap, t.unknown),
                      .index = t.index,
                      .channel = t.channel,
                      .points = e.domains(),
                      .loops = t.loops,
                      .value = value,
                      .loops_are_parallel = e.has_parallel_sums});
  }
  return result;
}

void lower_apply(ProgramBuilder& builder, const PartExpressions& e, ProductGathers& gathers) {
  ApplyLowering(builder, e, gathers).run();
}

void lower_model(ProgramBuilder& b, const PartExpressions& e, bool is_last) {
  ExprGraph& g = b.graph();
  Kernel kernel = part_kernel(*e.part, Role::Cost, "model");
  const std::vector<ExprId> moved = jacobian_times_move(b, e);
  std::vector<ExprId> squares;
  for (std::size_t r = 0; r < moved.size(); ++r)
    squares.push_back(g.mul(e.weights[r], g.powi(moved[r], 2)));
  kernel.sections.push_back(
      {.domains = e.domains(), .body = {b.reduce(StateSlot::PAp, g.add(squares))}});
  if (is_last) {
    const ExprId half = g.mul(g.constant(0.5), b.state(StateSlot::PAp));
    kernel.epilogue.push_back(
        b.store_state(StateSlot::ModelDecrease, g.sub(b.state(StateSlot::ModelDecrease), half)));
    kernel.epilogue.push_back(b.store_state(StateSlot::PAp, g.constant(0)));
  }
  b.keep(ProgramBuilder::Later::Model, std::move(kernel));
}

}  // namespace thallo
