#include "core/explore/report/estimates.h"

#include <utility>

namespace thallo {

ScheduleEstimates::ScheduleEstimates(const ExploredProblem& problem, const CostModel& model,
                                     DeviceSpec spec)
    : problem_(problem),
      pricer_(problem.file.energy, problem.instance.binding, problem.price_options(model),
              std::move(spec)) {}

std::optional<Prediction> ScheduleEstimates::price(const Schedule& schedule) const {
  const auto plan = problem_.plan_of(schedule);
  if (!plan) return std::nullopt;
  return pricer_.price(*plan).prediction;
}

std::optional<Prediction> ScheduleEstimates::estimate(const Schedule& schedule) {
  const auto plan = problem_.plan_of(schedule);
  if (!plan) return std::nullopt;
  return pricer_.estimate(*plan).prediction;
}

}  // namespace thallo
