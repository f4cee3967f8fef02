#pragma once

// What schedules of a problem are estimated to cost on a device, by a cost model, from the energy's
// expressions and the plan, without lowering (core/cost/estimator.h).

#include <optional>

#include "core/cost/cost_model.h"
#include "core/cost/estimator.h"
#include "core/explore/work/explored_problem.h"

namespace thallo {

class ScheduleEstimates {
 public:
  // The problem and the model must outlive it.
  ScheduleEstimates(const ExploredProblem& problem, const CostModel& model, DeviceSpec spec);

  // Infinite when the program does not fit; absent when the schedule has none.
  std::optional<Prediction> of(const Schedule& schedule);

 private:
  const ExploredProblem& problem_;
  const CostModel& model_;
  DeviceSpec spec_;
  Estimator estimator_;
};

}  // namespace thallo
