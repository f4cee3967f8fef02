#include "core/kernel/lowering/cost.h"

#include <vector>

namespace thallo {

void lower_cost(ProgramBuilder& b, const PartExpressions& e, bool is_last) {
  ExprGraph& g = b.graph();
  Kernel kernel = part_kernel(*e.part, Role::Cost, "cost");
  kernel.sections.push_back({.domains = e.domains(), .body = {}});
  const auto sum = [&](StateSlot slot, StateSlot accumulator, const std::vector<ExprId>& costs) {
    const ExprId cost = g.mul(g.constant(0.5), g.add(costs));
    kernel.sections.back().body.push_back(b.reduce(accumulator, cost));
    if (!is_last) return;
    kernel.epilogue.push_back(b.store_state(slot, b.state(accumulator)));
    kernel.epilogue.push_back(b.store_state(accumulator, g.constant(0)));
  };
  sum(StateSlot::Cost, StateSlot::CostSum, e.costs);
  if (b.program().minimized_cost == StateSlot::MinimizedCost)
    sum(StateSlot::MinimizedCost, StateSlot::MinimizedSum, e.minimized_costs);
  const std::size_t id = b.add_kernel(std::move(kernel));
  b.launch(Phase::Cost, id);
  b.launch(Phase::TrialCost, id, {}, b.at_trial());
}

}  // namespace thallo
