#pragma once

// Summarizes what an exploration found about a problem, as numbers. A report is made from a store
// and the problem; no device is needed. Results of different devices are kept apart.
//
// All times are in seconds per nonlinear iteration, including its linear iterations.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/cost/model/cost_model.h"
#include "core/explore/measure/measurer.h"
#include "core/explore/report/choice_effects.h"
#include "core/explore/report/decision_table.h"
#include "core/explore/search/named_proposals.h"
#include "core/explore/store/store.h"

namespace thallo {

// A schedule that is highlighted among all others, or a position among them such as the median.
struct Mark {
  std::string name;                   // "published-default", "best", "median"
  std::string hash;                   // of the schedule; empty for the median
  std::optional<double> seconds;      // absent when it was not measured
  std::optional<double> percent_off;  // how much slower than the best
};

// How well a cost model predicts what was measured.
struct ModelAccuracy {
  std::string model;             // its name; "estimate" without lowering
  std::size_t num_compared = 0;  // schedules that have both times
  std::optional<double> rho;     // Spearman's rho; absent if a time never differs
  double median_error = 0;       // of |predicted / measured - 1|
  // How far from the best the schedule predicted fastest is.
  std::optional<double> first_percent_off;
};
THALLO_FIELDS(ModelAccuracy, model, num_compared, rho, median_error, first_percent_off)

// How well the sum of the times of steps agrees with the time of whole solves.
struct Composition {
  struct Pair {
    std::string hash;
    double composed = 0, end_to_end = 0;

    double error() const { return composed / end_to_end - 1; }
  };
  std::vector<Pair> pairs;  // of schedules that have both times
  double median_error = 0;  // of |error|
  double worst_error = 0;   // with its sign
};

struct FailureGroup {
  ResultKind kind = ResultKind::Composed;
  ResultStatus status = ResultStatus::NotRun;
  std::string reason;  // of one schedule; the others differ only in numbers
  std::size_t count = 0;
};

// How the cost falls in a solve that was timed.
struct CostTrace {
  std::string hash;
  std::vector<CostPoint> points;
  // Seconds until the cost is within one percent (one permille) of the lowest cost that any
  // schedule reached.
  std::optional<double> to_one_percent, to_one_permille;
};

// A step of a schedule's program, and the kernel that it launches if it launches one.
struct StepCost {
  std::string label;
  std::optional<std::int64_t> registers, spill_bytes, shared_bytes;  // as KernelRecord has them
  double runs = 0;                                                   // in a nonlinear iteration
  std::optional<double> hot, evicted, predicted;                     // seconds of one run
  std::optional<double> hot_spread = {};  // half_interquartile_range() of several samples

  // Returns the time of the step per nonlinear iteration: measured if available, else predicted,
  // else 0.
  double seconds() const { return runs * hot.value_or(predicted.value_or(0)); }
};
THALLO_FIELDS(StepCost, label, registers, spill_bytes, shared_bytes, runs, hot, evicted, predicted)

// The most expensive steps of the fastest schedule whose steps are known.
struct SlowestSteps {
  std::string hash;             // of the schedule; empty if no steps are known
  std::vector<StepCost> steps;  // ten at most, the slowest first
  std::size_t num_others = 0;
};

struct DeviceReport {
  DeviceRecord device;
  // Times are compared by this kind of result: the kind that more schedules have.
  ResultKind kind = ResultKind::Composed;
  // Sorted by space and number; candidates without a number come last, sorted by hash.
  std::vector<Candidate> candidates;
  DecisionTable decisions;           // of the candidates
  std::vector<SiteEffect> effects;   // what the choices buy, at 48 sites at most
  std::vector<Mark> marks;           // the named ones, best, median
  std::vector<std::size_t> fastest;  // positions of at most ten candidates, best first
  std::size_t num_timed = 0;         // candidates with a time of that kind
  std::size_t num_steps = 0;         // number of distinct steps that were timed
  std::size_t num_failed_steps = 0;
  std::size_t num_kernels = 0;            // compiled for this device
  std::size_t num_spilling = 0;           // among kernels whose registers are known
  std::optional<double> compile_seconds;  // of kernels that were not in the cache
  std::optional<std::int64_t> most_registers;
  // The steps of schedules that were solved, by hash, if the steps are known.
  std::map<std::string, std::vector<StepCost>> steps;
  SlowestSteps slowest;
  std::vector<ModelAccuracy> models;
  std::string model;               // the model that predictions and estimates are made with
  std::optional<DeviceSpec> spec;  // used for estimates; absent if there are none
  std::size_t num_estimated = 0;
  Composition composition;
  std::vector<FailureGroup> failures;  // most frequent first
  std::vector<CostTrace> traces;
  std::optional<double> best_cost;  // over all traces
};

struct ExplorationReport {
  ProblemRecord problem;
  std::vector<SpaceRecord> spaces;
  std::vector<DeviceReport> devices;
};

// Returns the measured seconds by this kind of result. Absent if there is no such result or it
// failed, and also if another result found that the schedule does not compute what the energy
// defines.
std::optional<double> measured_seconds(const Candidate& candidate, ResultKind kind);

struct ReportOptions {
  std::string device;            // signature or part of the name; empty: all devices
  std::string backend = "auto";  // restricts the devices; "auto": all backends
  // The spec for estimates: a file or a name. If empty, the spec that this machine keeps of the
  // device.
  std::string device_spec;
  // If there are more candidates than this, only every n-th one is estimated. An estimate takes
  // about a millisecond.
  std::size_t most_estimates = 2000;
  // The schedules to mark in addition to best and median. If absent, named_proposals() for the
  // device's spec.
  std::optional<std::vector<NamedProposal>> named = {};
  // Keeps what it learns about schedules for the next report of the problem. If null, a reader of
  // this report alone is used.
  DecisionReader* decisions = nullptr;
};

// Estimates use `model`; they appear among the candidates' predictions under the name "estimate".
// If the store has several devices and a spec is given, `device` must say which one the spec
// describes. Fails if the store has nothing about this problem (the message lists the problems it
// has), if no device matches (the message lists the devices), or if named_device_spec() fails.
Expected<ExplorationReport> make_report(const MeasurementStore& store,
                                        const ExploredProblem& problem, const CostModel& model,
                                        const ReportOptions& options);

}  // namespace thallo
