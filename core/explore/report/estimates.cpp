#include "core/explore/report/estimates.h"

#include <utility>

namespace thallo {

ScheduleEstimates::ScheduleEstimates(const ExploredProblem& problem, const CostModel& model,
                                     DeviceSpec spec)
    : problem_(problem),
      model_(model),
      spec_(std::move(spec)),
      estimator_(problem.file.energy, problem.instance.binding,
                 map_statistics(problem.file.energy, problem.instance.binding), problem.precision,
                 problem.program) {}

std::optional<Prediction> ScheduleEstimates::of(const Schedule& schedule) {
  const auto plan = problem_.plan_of(schedule);
  if (!plan) return std::nullopt;
  return predict(model_, estimator_.estimate(*plan), spec_, problem_.iteration_counts());
}

}  // namespace thallo
