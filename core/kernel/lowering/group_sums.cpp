#include "core/kernel/lowering/stages.h"

#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "core/energy/loss.h"
#include "core/kernel/state.h"

namespace thallo {
namespace {

class GroupSums {
 public:
  GroupSums(ProgramBuilder& builder, const ResidualGroup& group)
      : b_(builder), g_(builder.graph()), group_(group) {
    for (const ExprId residual : group.residuals) {
      const ExprId expression = b_.with_stored_sums(residual);
      residuals_.push_back(b_.inlined(expression));
      squares_.push_back(g_.powi(residuals_.back(), 2));
      counts_.push_back(counts(residuals_.back(), b_.differentiator().gradient(expression)));
    }
  }

  // Group `number` is the one that the gate lets through.
  void lower(std::size_t number) {
    Kernel kernel{.role = "group_sums", .label = fmt::format("group_sums [{}]", group_.name)};
    kernel.sections.push_back({.domains = group_.domains,
                               .body = {b_.reduce(StateSlot::GroupCost, cost()),
                                        b_.reduce(StateSlot::GroupResiduals, g_.add(counts_)),
                                        b_.reduce(StateSlot::GroupInliers, is_inlier())}});
    b_.launch(Phase::GroupSums, b_.add_kernel(std::move(kernel)),
              Gate{StateSlot::Group, static_cast<double>(number)});
  }

 private:
  // False where the residual is 0 and no unknown changes it: it is masked there.
  ExprId counts(ExprId residual, const Gradient& gradient) {
    ExprId is_masked = is_zero(residual);
    for (const Partial& partial : gradient) {
      if (!partial.loops.empty()) return g_.boolean(true);
      is_masked = g_.mul(is_masked, is_zero(b_.inlined(partial.value)));
    }
    return g_.logical_not(is_masked);
  }
  ExprId is_zero(ExprId value) { return g_.binary(Op::Eq, value, g_.constant(0)); }

  ExprId cost() {
    const ExprId square = g_.add(squares_);
    const auto& loss = group_.loss;
    return g_.mul(g_.constant(0.5), loss ? applied(g_, *loss, loss->rho, square) : square);
  }

  ExprId is_inlier() {
    ExprId any = g_.boolean(false);
    for (const ExprId count : counts_) any = g_.binary(Op::Or, any, count);
    if (!group_.loss || !group_.loss->scale.valid()) return any;
    return g_.mul(any, g_.binary(Op::LessEq, g_.add(squares_), g_.powi(group_.loss->scale, 2)));
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
  const ResidualGroup& group_;
  std::vector<ExprId> residuals_, squares_, counts_;
};

}  // namespace

void lower_group_sums(ProgramBuilder& b) {
  const std::vector<ResidualGroup>& groups = b.energy().groups();
  for (std::size_t i = 0; i < groups.size(); ++i) GroupSums(b, groups[i]).lower(i);
}

}  // namespace thallo
