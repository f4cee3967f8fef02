#pragma once

// What an exploration found of a problem, as numbers. They are made from a store and the problem
// itself; no device is needed. Results of several devices are kept apart.
//
// Times are seconds of a nonlinear iteration with its linear iterations.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/cost_model.h"
#include "core/explore/explorer.h"
#include "core/explore/named_proposals.h"
#include "core/explore/store.h"

namespace thallo {

// A schedule that is shown among all others, or a position among them.
struct Mark {
  std::string name;                   // "published-default", "best", "median"
  std::string hash;                   // of the schedule; empty for the median, which is none
  std::optional<double> seconds;      // absent when it was not measured
  std::optional<double> percent_off;  // more than the best, of the best
};

// How well a cost model predicts what was measured.
struct ModelAccuracy {
  std::string model;                // "analytic"; "estimate" without lowering
  std::size_t num_compared = 0;     // schedules with both times
  std::optional<double> rho;        // Spearman's; absent when a time never differs
  double median_error = 0;          // of |predicted / measured - 1|
  std::optional<double> first_off;  // percent off the best of the one predicted fastest
};

// How well the sum of the times of steps agrees with the time of whole solves.
struct Composition {
  struct Pair {
    std::string hash;
    double composed = 0, end_to_end = 0;

    double error() const { return composed / end_to_end - 1; }
  };
  std::vector<Pair> pairs;  // of schedules with both
  double median_error = 0;  // of |error|
  double worst_error = 0;   // with its sign
};

struct FailureGroup {
  ResultKind kind = ResultKind::Composed;
  ResultStatus status = ResultStatus::NotRun;
  std::string reason;  // of one of them; the others differ in numbers alone
  std::size_t count = 0;
};

// How the cost falls in a solve that was timed.
struct CostTrace {
  std::string hash;
  std::vector<CostPoint> points;
  // Seconds until the cost is at most so much above the best one that any schedule reached.
  std::optional<double> to_one_percent, to_one_permille;
};

// A step of a schedule's program, and the kernel that it launches if it launches one.
struct StepCost {
  std::string label;
  std::optional<std::int64_t> registers, spill_bytes, shared_bytes;  // as KernelRecord has them
  double runs = 0;                                                   // in a nonlinear iteration
  std::optional<double> hot, evicted, predicted;                     // seconds of one run

  // In a nonlinear iteration, as far as anything is known.
  double seconds() const { return runs * hot.value_or(predicted.value_or(0)); }
};

// Where the time of the fastest schedule goes whose steps are known.
struct SlowestSteps {
  std::string hash;             // of the schedule; empty where none is known
  std::vector<StepCost> steps;  // ten at most, the slowest first
  std::size_t num_others = 0;
};

struct DeviceReport {
  DeviceRecord device;
  // What times are compared by: the kind of result that more schedules have.
  ResultKind kind = ResultKind::Composed;
  std::vector<Candidate> candidates;  // by space and number, then those without one, by hash
  std::vector<Mark> marks;            // named ones, best, median
  std::vector<std::size_t> fastest;   // ten at most, among the candidates, the best first
  std::size_t num_timed = 0;          // candidates with a time of that kind
  std::size_t num_steps = 0;          // different steps that were timed
  std::size_t num_failed_steps = 0;
  std::size_t num_kernels = 0;            // that were compiled for it
  std::size_t num_spilling = 0;           // of those whose registers are known
  std::optional<double> compile_seconds;  // of those that were not in the cache
  std::optional<std::int64_t> most_registers;
  // Of schedules whose steps are known, those that were run end to end, by hash.
  std::map<std::string, std::vector<StepCost>> steps;
  SlowestSteps slowest;
  std::vector<ModelAccuracy> models;
  std::optional<DeviceSpec> spec;  // that estimates were made with; absent: there are none
  std::size_t num_estimated = 0;
  Composition composition;
  std::vector<FailureGroup> failures;  // most frequent first
  std::vector<CostTrace> traces;
  std::optional<double> best_cost;  // of all traces
};

struct ExplorationReport {
  ProblemRecord problem;
  std::vector<SpaceRecord> spaces;
  std::vector<DeviceReport> devices;
};

// Seconds by a kind of result; absent when it was not measured so, or failed, and also when another
// result says that it computes something else than the energy defines.
std::optional<double> measured_seconds(const Candidate& candidate, ResultKind kind);

struct ReportOptions {
  std::string device;            // its signature, or a part of its name; empty: all devices
  std::string backend = "auto";  // whose devices are meant; "auto": of all backends
  std::string device_spec;       // for estimates: a file or name; empty: what is kept of the device
  // Every n-th candidate is estimated where there are more; an estimate takes about a millisecond.
  std::size_t most_estimates = 2000;
  // What is marked beside best and median; absent: named_proposals() for the device's spec.
  std::optional<std::vector<NamedProposal>> named = {};
};

// Estimates are made with the model, and are among the predictions of the candidates as "estimate".
// The device that they are for must be told by `device` when a spec is named and the store has
// several. Fails when the store has nothing of this problem, with the problems that it
// has; when no such device, with those that there are; and as named_device_spec().
Expected<ExplorationReport> make_report(const MeasurementStore& store,
                                        const ExploredProblem& problem, const CostModel& model,
                                        const ReportOptions& options);

}  // namespace thallo
