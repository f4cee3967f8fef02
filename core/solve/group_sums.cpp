#include "core/solve/group_sums.h"

#include <cmath>

#include "core/kernel/state.h"

namespace thallo {

std::vector<GroupSummary> sum_groups(Executable& executable, const Energy& energy) {
  std::vector<GroupSummary> sums;
  executable.run(Phase::Values);  // the stored values may be those of a trial point
  std::vector<SolverState> states(executable.num_states());
  const std::vector<std::size_t> all = executable.all_states();
  executable.read_states(states, all);
  for (const ResidualGroup& group : energy.groups()) {
    for (SolverState& state : states) {
      at(state, StateSlot::Group) = static_cast<double>(sums.size());
      at(state, StateSlot::GroupCost) = 0;
      at(state, StateSlot::GroupResiduals) = 0;
      at(state, StateSlot::GroupInliers) = 0;
    }
    executable.write_states(states, all);
    executable.run(Phase::GroupSums);
    executable.read_states(states, all);
    GroupSummary& sum = sums.emplace_back(GroupSummary{.name = group.name});
    for (const SolverState& state : states) {
      sum.cost += at(state, StateSlot::GroupCost);
      sum.num_residuals += std::llround(at(state, StateSlot::GroupResiduals));
      sum.num_inliers += std::llround(at(state, StateSlot::GroupInliers));
    }
  }
  return sums;
}

}  // namespace thallo
