#pragma once

// A cost model predicts how long the steps of a program take on a device. Cost models are kept in a
// registry, so that plugins can add others; roofline.h and analytic.h are Thallo's own.

#include <limits>
#include <string_view>
#include <vector>

#include "core/base/registry.h"
#include "core/cost/device_spec.h"
#include "core/cost/work.h"

namespace thallo {

class CostModel {
 public:
  virtual ~CostModel() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view doc() const = 0;  // one sentence
  // Seconds of a step of `program` in the course of a solve, with what it costs to start it.
  virtual double seconds(const StepWork& step, const ProgramWork& program,
                         const DeviceSpec& device) const = 0;
};

using CostModelRegistry = Registry<CostModel>;

// Adds Thallo's own models.
void add_cost_models(CostModelRegistry& registry);

// What a schedule is predicted to cost.
struct Prediction {
  std::vector<double> steps;    // seconds of each step of the program, once
  double linear_iteration = 0;  // seconds; the share of residual resets is in it
  double nonlinear_iteration =
      0;  // with its linear iterations; infinity if the program does not fit
  double bytes = 0;
};

// How the steps of a program add up to an iteration.
struct IterationCounts {
  double linear_iterations = 10;  // of a nonlinear iteration
  double reset_period = 0;        // linear iterations from one residual reset to the next; 0: none
};

// The share of what a linear iteration touches that it does not find in the cache, since all of it
// together is larger: between 0 and 1.
double evicted_share(double loop_bytes, const DeviceSpec& device);

// What a nonlinear iteration takes, by what its steps take.
class IterationTime {
 public:
  explicit IterationTime(const DeviceSpec& device) : device_(device) {}
  // A step outside of the linear loop; the host enqueues these one by one.
  void add_once(double seconds);
  // So many runs in all of the linear loop.
  void add_linear(double seconds, double runs);

  double linear_iteration(double linear_iterations) const;
  // With what the host takes to start the loop, and to learn the cost.
  double nonlinear_iteration(double linear_iterations) const;

 private:
  const DeviceSpec& device_;
  double once_ = 0, linear_ = 0;
};

Prediction predict(const CostModel& model, const ProgramWork& program, const DeviceSpec& device,
                   const IterationCounts& counts);

}  // namespace thallo
