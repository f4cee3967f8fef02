#include "core/kernel/lowering/cost.h"

namespace thallo {

void lower_cost(ProgramBuilder& b, const PartExpressions& e, bool is_last) {
  ExprGraph& g = b.graph();
  Kernel kernel = part_kernel(*e.part, Role::Cost, "cost");
  const ExprId cost = g.mul(g.constant(0.5), g.add(e.costs));
  kernel.sections.push_back({.domains = e.domains(), .body = {b.reduce(StateSlot::CostSum, cost)}});
  if (is_last) {
    kernel.epilogue.push_back(b.store_state(StateSlot::Cost, b.state(StateSlot::CostSum)));
    kernel.epilogue.push_back(b.store_state(StateSlot::CostSum, g.constant(0)));
  }
  const std::size_t id = b.add_kernel(std::move(kernel));
  b.launch(Phase::Cost, id);
  b.launch(Phase::TrialCost, id, {}, b.at_trial());
}

}  // namespace thallo
