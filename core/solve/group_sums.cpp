#include "core/solve/group_sums.h"

#include <cmath>

#include "core/kernel/state.h"

namespace thallo {

std::vector<GroupSummary> sum_groups(Executable& executable, const Energy& energy) {
  std::vector<GroupSummary> sums;
  executable.run(Phase::Values);  // the stored values may be those of a trial point
  SolverState state = executable.read_state();
  for (const ResidualGroup& group : energy.groups()) {
    at(state, StateSlot::Group) = static_cast<double>(sums.size());
    at(state, StateSlot::GroupCost) = 0;
    at(state, StateSlot::GroupResiduals) = 0;
    at(state, StateSlot::GroupInliers) = 0;
    executable.write_state(state);
    executable.run(Phase::GroupSums);
    state = executable.read_state();
    sums.push_back({.name = group.name,
                    .cost = at(state, StateSlot::GroupCost),
                    .num_residuals = std::llround(at(state, StateSlot::GroupResiduals)),
                    .num_inliers = std::llround(at(state, StateSlot::GroupInliers))});
  }
  return sums;
}

}  // namespace thallo
