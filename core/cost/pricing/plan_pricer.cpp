#include "core/cost/pricing/plan_pricer.h"

#include <limits>
#include <utility>

namespace thallo {

PricedPlan price_plan(const Energy& energy, const Plan& plan, const Binding& binding,
                      const PriceOptions& options, const DeviceSpec& device) {
  auto work = work_of(energy, plan, options.program, binding);
  if (!work) {
    // Its sizes are those of no memory.
    const double never = std::numeric_limits<double>::infinity();
    return {.prediction = {.nonlinear_iteration = never, .bytes = never}};
  }
  PricedPlan priced{.work = *std::move(work)};
  priced.prediction = predict(*options.model, priced.work, device, options.counts);
  return priced;
}

PlanPricer::PlanPricer(const Energy& energy, const Binding& binding, const PriceOptions& options,
                       DeviceSpec device)
    : PlanPricer(energy, binding, map_statistics(energy, binding), options, std::move(device)) {}

PlanPricer::PlanPricer(const Energy& energy, const Binding& binding,
                       std::map<MapId, MapStatistics> maps, const PriceOptions& options,
                       DeviceSpec device)
    : energy_(energy),
      binding_(binding),
      options_(options),
      device_(std::move(device)),
      estimator_(energy, binding, std::move(maps), options.program),
      nothing_stored_(estimator_.frame(no_stored_values(energy), 0)) {}

PricedPlan PlanPricer::price(const Plan& plan) const {
  return price_plan(energy_, plan, binding_, options_, device_);
}

PricedPlan PlanPricer::estimate(const Plan& plan) {
  PricedPlan priced{.work = estimator_.estimate(plan)};
  priced.prediction = predict(*options_.model, priced.work, device_, options_.counts);
  return priced;
}

double PlanPricer::estimated_seconds(const Plan& plan) {
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
