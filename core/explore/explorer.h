#pragma once

// Explores schedules of a problem: has them compiled by worker processes, measured, and kept in a
// store, so that nothing is measured twice and an exploration that was ended goes on where it was.
//
// Composed measurement: schedules share most of their steps, so each step is timed once, alone, in
// a program of a real schedule, and the time of a schedule is the sum over its steps. End to end:
// whole solves of the schedule are timed.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/device_spec.h"
#include "core/explore/candidate.h"
#include "core/explore/objective.h"
#include "core/explore/search.h"
#include "core/explore/stored_results.h"
#include "core/explore/workshop.h"

namespace thallo {

// How long a worker may take before it is ended, with the status Timeout.
struct ExplorerTimeouts {
  std::chrono::milliseconds prepare{300'000};  // to compile a schedule
  std::chrono::milliseconds load{120'000};     // to compile it, load data, run a first iteration
  std::chrono::milliseconds step{10'000};      // to time a step
  std::chrono::milliseconds solve{600'000};    // for a solve
};

struct ExplorerOptions {
  WorkshopOptions workshop;
  MeasureBy measure = MeasureBy::Steps;
  std::string model = "analytic";  // whose predictions count where nothing is measured
  int solves = 3;                  // timed for each schedule that is run end to end
  Objective objective = Objective::NonlinearIteration;
  std::optional<SpaceRecord> space = {};  // that the indices of proposals are of
  ExplorerTimeouts timeouts = {};
};

struct ExplorerProgress {
  enum class Stage { Prepare, Measure, Solve };
  Stage stage = Stage::Prepare;
  // Prepare: schedules of the round; Measure: steps that these need; Solve: schedules to run.
  std::int64_t done = 0, total = 0;
  // Of all that are expected, or else that were proposed together; of Solve, those to run.
  std::int64_t schedules_done = 0, schedules_total = 0;
};

class Explorer {
 public:
  // Opens the store and, in a worker, the problem and its device. Fails as these do.
  static Expected<Explorer> open(const ExplorationTarget& target, const ExplorerOptions& options);
  Explorer(Explorer&&) noexcept;
  ~Explorer();

  const ProblemRecord& problem() const;
  const DeviceRecord& device() const;
  const DeviceSpec& device_spec() const;  // that predictions are made with
  double device_memory() const;           // bytes
  Objective objective() const;
  // The target with the backend, precision and device spec that it was resolved to.
  const ExplorationTarget& target() const;

  // The texts of the schedules that the store has times of, on any device, the fastest first.
  Expected<std::vector<std::string>> timed_schedules() const;
  // What the store had when it was opened.
  const StoredResults& stored_results() const;
  // Looks at schedules that were not looked at before: prepares and measures them, in rounds of
  // some seconds each, so that results arrive early and a budget that ends leaves little undone.
  // Returns early when the budget is used up or the exploration is cancelled; what is finished is
  // in the store. Steps and schedules that another explorer measures at the moment are waited for.
  // Fails when no worker can be started, and when the store cannot be written.
  Expected<void> explore(const std::vector<Proposal>& proposals);
  // Runs whole solves of these schedules, which are among the candidates, and compares what they
  // compute with the default schedule. What the store has already is not done again, nor is a
  // program that another of the schedules has: it shares the other's result.
  Expected<void> solve(const std::vector<std::string>& hashes);

  // Those that were looked at, in the order in which they were proposed.
  std::vector<Candidate> candidates() const;
  // Of a nonlinear iteration, as `measure` has it: infinite when the schedule failed, absent when
  // it was not measured.
  std::optional<double> iteration_seconds(const std::string& hash) const;
  // By the objective: those of a nonlinear iteration, or those to a cost, which only schedules have
  // that were run end to end.
  std::optional<double> seconds(const std::string& hash) const;
  // From now on it is over when this share of the budget is used up: the rest is for
  // what comes after.
  void limit_to(double share_of_budget);
  bool is_over() const;               // that share of the budget is used up, or it was cancelled
  std::int64_t num_steps() const;     // different steps of all candidates
  std::int64_t num_measured() const;  // steps that were measured now, not before

  // So many schedules will be proposed from now on, over several calls of explore(); 0: nobody
  // knows.
  void expect(std::int64_t num_schedules);
  using Progress = std::function<void(const ExplorerProgress&)>;
  void on_progress(Progress progress);

 private:
  struct Implementation;
  explicit Explorer(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace thallo
