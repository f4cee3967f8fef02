#include "core/kernel/lowering/apply.h"

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
      lower_jt(store_jp(jp, factors));
      return;
    }
    const bool at_output = e_.part->jtjp == ComputeAt::Output;
    Kernel kernel = part_kernel(*e_.part, Role::JtJp, at_output ? "gather_jtjp" : "apply_jtjp");
    if (at_output) {
      gather(std::move(kernel), factors, ProductShare::OfSum);
      return;
    }
    scatter(kernel, e_.domains(), transposed_addends(b_, e_, factors), p_ap(jp, factors));
    launch(std::move(kernel));
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
    Section section{.domains = e_.domains(), .body = {}};
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

  void lower_jt(const std::vector<ExprId>& stored_jp) {
    const bool at_output = e_.part->jt == ComputeAt::Output;
    Kernel kernel = part_kernel(*e_.part, Role::Jt, at_output ? "gather_jt" : "apply_jt");
    if (at_output) {
      gather(std::move(kernel), stored_jp, ProductShare::Counted);
      return;
    }
    scatter(kernel, e_.domains(), transposed_addends(b_, e_, stored_jp));
    launch(std::move(kernel));
  }

  // A part that reads eliminated unknowns only adds nothing to Ap.
  void gather(Kernel kernel, const std::vector<ExprId>& factors, ProductShare share) {
    std::vector<Addend> addends = transposed_addends(b_, e_, factors);
    if (!addends.empty()) gathers_.add(std::move(kernel), *e_.part, std::move(addends), share);
  }
  void launch(Kernel kernel) {
    if (!kernel.sections.empty()) b_.launch_apply(std::move(kernel));
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
    result.push_back({builder.vector_view(SolverVector::Ap, t.unknown), t.index, t.channel,
                      e.domains(), t.loops, value, e.has_parallel_sums});
  }
  return result;
}

void lower_apply(ProgramBuilder& builder, const PartExpressions& e, ProductGathers& gathers) {
  ApplyLowering(builder, e, gathers).run();
}

}  // namespace thallo
