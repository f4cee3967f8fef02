#include "core/cost/pricing/plan_pricer.h"

#include <limits>
#include <utility>

namespace thallo {

PlanPricer::PlanPricer(const Energy& energy, const Binding& binding, const PriceOptions& options,
                       DeviceSpec device)
    : PlanPricer(energy, binding, map_statistics(energy, binding), options, std::move(device)) {}

PlanPricer::PlanPricer(const Energy& energy, const Binding& binding,
                       std::map<MapId, MapStatistics> maps, const PriceOptions& options,
                       DeviceSpec device)
    : options_(options),
      device_(std::move(device)),
      estimator_(energy, binding, std::move(maps), options.program),
      nothing_stored_(estimator_.frame(no_stored_values(energy), 0)) {}

PricedPlan PlanPricer::price(const Plan& plan) {
  PricedPlan priced{.work = estimator_.estimate(plan), .prediction = {}};
  priced.prediction = predict(*options_.model, priced.work, device_, options_.counts);
  return priced;
}

double PlanPricer::seconds(const Plan& plan) {
  const Estimator::Pieces pieces = estimator_.pieces(plan);
  return predict(*options_.model, pieces.frame, pieces.steps, device_, options_.counts)
      .nonlinear_iteration;
}

double PlanPricer::share(const std::vector<StepWork>& steps, double product_bytes) {
  if (nothing_stored_.bytes + product_bytes > device_.memory)
    return std::numeric_limits<double>::infinity();
  const double loop_bytes = nothing_stored_.loop_bytes;
  nothing_stored_.loop_bytes += product_bytes;
  IterationTime time(device_);
  for (const StepWork& step : steps)
    time.add(step.phase, options_.model->seconds(step, nothing_stored_, device_), options_.counts);
  nothing_stored_.loop_bytes = loop_bytes;
  return time.of_steps();
}

}  // namespace thallo
