#include "core/cost/model/cost_model.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/cost/model/analytic.h"
#include "core/cost/model/roofline.h"
#include "core/kernel/frequency.h"

namespace thallo {
namespace {

// Of the cache, the share that data may take and still be found there in the next iteration; beyond
// the second share nothing is found.
constexpr double CertainlyCached = 0.6;
constexpr double CertainlyEvicted = 1.5;
// How many round trips between host and device the host's part of a nonlinear iteration takes, and
// how many more where a graph runs the linear loop. Fitted to 558 whole solves on an H200.
constexpr double RoundTrips = 1.5;
constexpr double RoundTripsOfLoop = 5.5;

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

std::string CostModel::caveat(const DeviceSpec&) const { return {}; }

TimeParts CostModel::parts(const StepWork& step, const ProgramWork& program,
                           const DeviceSpec& device) const {
  TimeParts parts;
  parts[Wait::Unknown] = seconds(step, program, device);
  return parts;
}

double IterationCounts::runs_of(Phase phase) const {
  switch (frequency_of(phase)) {
    case Frequency::Solve: return 0;
    case Frequency::NonlinearIteration: return 1;
    case Frequency::LinearIteration: return linear_iterations;
    case Frequency::ResidualReset: return reset_period > 0 ? linear_iterations / reset_period : 0;
  }
  return 0;
}

void IterationTime::add_once(double seconds) {
  once_ += std::max(seconds, device_.launch);
  waiting_ += std::max(0.0, device_.launch - seconds);
}
void IterationTime::add_linear(double seconds, double runs) { linear_ += runs * seconds; }

double IterationTime::linear_iteration(double linear_iterations) const {
  return linear_ / std::max(1.0, linear_iterations) + device_.loop_turn;
}
double IterationTime::nonlinear_iteration(double linear_iterations) const {
  return once_ + host() + linear_iterations * linear_iteration(linear_iterations);
}
double IterationTime::host() const {
  return (RoundTrips + (linear_ > 0 ? RoundTripsOfLoop : 0)) * device_.round_trip;
}
BesideSteps IterationTime::beside_steps(double linear_iterations) const {
  return {
      .launches = waiting_, .loop_turns = linear_iterations * device_.loop_turn, .host = host()};
}

void IterationTime::add(Phase phase, double seconds, const IterationCounts& counts) {
  if (frequency_of(phase) == Frequency::NonlinearIteration) return add_once(seconds);
  if (const double runs = counts.runs_of(phase); runs > 0) add_linear(seconds, runs);
}

Prediction predict(const CostModel& model, const ProgramWork& program, const DeviceSpec& device,
                   const IterationCounts& counts) {
  std::vector<const StepWork*> steps;
  for (const StepWork& step : program.steps) steps.push_back(&step);
  return predict(model, program, steps, device, counts);
}

Prediction predict(const CostModel& model, const ProgramWork& program,
                   std::span<const StepWork* const> steps, const DeviceSpec& device,
                   const IterationCounts& counts) {
  Prediction result{.bytes = program.bytes};
  IterationTime time(device);
  for (const StepWork* step : steps) {
    const double seconds = model.seconds(*step, program, device);
    result.steps.push_back(seconds);
    time.add(step->phase, seconds, counts);
  }
  result.beside = time.beside_steps(counts.linear_iterations);
  result.linear_iteration = time.linear_iteration(counts.linear_iterations);
  result.nonlinear_iteration = program.bytes > device.memory
                                   ? std::numeric_limits<double>::infinity()
                                   : time.nonlinear_iteration(counts.linear_iterations);
  return result;
}

}  // namespace thallo
