#pragma once

// Predicts what schedules of a problem cost on a device, from their programs or, for many of them,
// from the energy's expressions and the plan (core/cost/pricing/plan_pricer.h).

#include <optional>

#include "core/cost/model/cost_model.h"
#include "core/cost/pricing/plan_pricer.h"
#include "core/explore/space/explored_problem.h"

namespace thallo {

class ScheduleEstimates {
 public:
  // The problem and the model must outlive this object.
  ScheduleEstimates(const ExploredProblem& problem, const CostModel& model, DeviceSpec spec);

  // Infinite if the program does not fit into memory; absent if the schedule has no program.
  std::optional<Prediction> price(const Schedule& schedule) const;
  std::optional<Prediction> estimate(const Schedule& schedule);

 private:
  const ExploredProblem& problem_;
  PlanPricer pricer_;
};

}  // namespace thallo
