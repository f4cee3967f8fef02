#pragma once

// A cost model predicts how long the steps of a program take on a device. Cost models are kept in a
// registry, so that plugins can add others; roofline.h and analytic.h are Thallo's own.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/registry.h"
#include "core/cost/device/device_spec.h"
#include "core/cost/model/time_parts.h"
#include "core/cost/model/work.h"

namespace thallo {

class CostModel {
 public:
  virtual ~CostModel() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view doc() const = 0;  // one sentence
  // Returns the seconds of a step of `program` during a solve, including the cost of starting it.
  virtual double seconds(const StepWork& step, const ProgramWork& program,
                         const DeviceSpec& device) const = 0;
  // Returns these seconds, split by what the step waits for. A model that cannot tell says that all
  // of it is unknown.
  virtual TimeParts parts(const StepWork& step, const ProgramWork& program,
                          const DeviceSpec& device) const;
  // True if the model was fitted to measurements, so that its predictions of what was measured say
  // little about how well it predicts.
  virtual bool is_fitted() const { return false; }
  // Returns a sentence about why to trust its predictions for this device less than those for
  // others; empty if there is no reason.
  virtual std::string caveat(const DeviceSpec& device) const;
};

using CostModelRegistry = Registry<CostModel>;

// The model that predictions are made with where none is named (analytic.h).
const CostModel& default_cost_model();

// Adds Thallo's own models.
void add_cost_models(CostModelRegistry& registry);

// The seconds of a nonlinear iteration that are not spent in steps.
struct BesideSteps {
  double launches = 0;    // steps outside of the loop that take less than it takes to enqueue them
  double loop_turns = 0;  // of the loop of linear iterations
  double host = 0;        // starting the loop and reading the cost

  double total() const { return launches + loop_turns + host; }
  friend bool operator==(const BesideSteps&, const BesideSteps&) = default;
};

// The predicted cost of a schedule.
struct Prediction {
  std::vector<double> steps;    // seconds of each step of the program, run once
  double linear_iteration = 0;  // seconds, including the share of residual resets
  double nonlinear_iteration =
      0;  // with its linear iterations; infinity if the program does not fit
  double bytes = 0;
  BesideSteps beside;  // of a nonlinear iteration
};

// Says how the steps of a program add up to an iteration.
struct IterationCounts {
  double linear_iterations = 10;  // per nonlinear iteration
  double reset_period = 0;        // linear iterations between residual resets; 0: none

  // Returns how often a phase runs in a nonlinear iteration.
  double runs_of(Phase phase) const;
};

// Returns the share (between 0 and 1) of the data of a linear iteration that is not found in the
// cache, because all of it together is larger.
double evicted_share(double loop_bytes, const DeviceSpec& device);

// Computes the time of a nonlinear iteration from the times of its steps.
class IterationTime {
 public:
  explicit IterationTime(const DeviceSpec& device) : device_(device) {}
  // Adds a step outside of the linear loop; the host enqueues these one by one.
  void add_once(double seconds);
  // Adds this number of runs within the whole linear loop.
  void add_linear(double seconds, double runs);
  // Adds a step that takes this long, as often as its phase runs.
  void add(Phase phase, double seconds, const IterationCounts& counts);

  // Returns the seconds of what was added, without the host's and the loop's own.
  double of_steps() const { return once_ + linear_; }
  double linear_iteration(double linear_iterations) const;
  // Includes the host's time to start the loop and to read the cost.
  double nonlinear_iteration(double linear_iterations) const;
  // Returns what nonlinear_iteration() has beside the steps.
  BesideSteps beside_steps(double linear_iterations) const;

 private:
  double host() const;

  const DeviceSpec& device_;
  double once_ = 0, linear_ = 0;
  double waiting_ = 0;  // of once_: for the host
};

Prediction predict(const CostModel& model, const ProgramWork& program, const DeviceSpec& device,
                   const IterationCounts& counts);
// Predicts for these steps in the place of the program's own.
Prediction predict(const CostModel& model, const ProgramWork& program,
                   std::span<const StepWork* const> steps, const DeviceSpec& device,
                   const IterationCounts& counts);

}  // namespace thallo
