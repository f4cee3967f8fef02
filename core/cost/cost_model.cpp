#include "core/cost/cost_model.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/cost/analytic.h"
#include "core/cost/roofline.h"
#include "core/kernel/frequency.h"

namespace thallo {
namespace {

// Of the cache, the share that data may take and still be found there in the next iteration; beyond
// the second share nothing is found.
constexpr double CertainlyCached = 0.6;
constexpr double CertainlyEvicted = 1.5;

}  // namespace

double evicted_share(double loop_bytes, const DeviceSpec& device) {
  if (device.cache <= 0) return 1;
  const double filled = loop_bytes / device.cache;
  return std::clamp((filled - CertainlyCached) / (CertainlyEvicted - CertainlyCached), 0.0, 1.0);
}

void add_cost_models(CostModelRegistry& registry) {
  const auto add = [&registry](std::unique_ptr<const CostModel> model) {
    const std::string name(model->name());
    const auto added = registry.add(name, std::move(model), "thallo");
    THALLO_ASSERT(added.has_value(), "the cost model {} is there twice", name);
  };
  add(make_roofline_model());
  add(make_analytic_model());
}

Prediction predict(const CostModel& model, const ProgramWork& program, const DeviceSpec& device,
                   const IterationCounts& counts) {
  Prediction result{.bytes = program.bytes};
  double once = 0;
  double resets = 0;
  for (const StepWork& step : program.steps) {
    const double seconds = model.seconds(step, program, device);
    result.steps.push_back(seconds);
    switch (frequency_of(step.phase)) {
      case Frequency::Solve: break;
      case Frequency::NonlinearIteration: once += seconds; break;
      case Frequency::LinearIteration: result.linear_iteration += seconds; break;
      case Frequency::ResidualReset: resets += seconds; break;
    }
  }
  if (counts.reset_period > 0) result.linear_iteration += resets / counts.reset_period;
  result.linear_iteration += device.loop_turn;
  result.nonlinear_iteration = program.bytes > device.memory
                                   ? std::numeric_limits<double>::infinity()
                                   : once + counts.linear_iterations * result.linear_iteration;
  return result;
}

}  // namespace thallo
