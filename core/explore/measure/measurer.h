#pragma once

// Measures schedules of a problem. Worker processes compile and time them, and results are kept in
// a store, so that nothing is measured twice and an interrupted exploration continues where it
// stopped.
//
// There are two ways to measure. Composed: schedules share most of their steps, so each step is
// timed once, alone, in the program of some schedule, and the time of a schedule is the sum over
// its steps. End to end: whole solves of the schedule are timed.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/explore/measure/candidate_table.h"
#include "core/explore/measure/measurement_context.h"
#include "core/explore/measure/measuring_queue.h"
#include "core/explore/measure/objective.h"
#include "core/explore/measure/round_sizes.h"
#include "core/explore/measure/schedule_count.h"

namespace thallo {

struct MeasurerOptions {
  MeasurementOptions resources;
  ResultKind measure = ResultKind::Composed;
  int solves = 3;  // timed for each schedule that is run end to end
  Objective objective = Objective::NonlinearIteration;
  std::optional<SpaceRecord> space = {};  // the space that proposal indices refer to
  ExplorerTimeouts timeouts = {};
};

// A schedule that got a time.
struct TimedSchedule {
  std::string hash;
  double seconds = 0;      // of a nonlinear iteration
  bool was_known = false;  // true if the store had its time when it was opened
};

struct MeasurerProgress {
  struct Count {
    std::int64_t done = 0, total = 0;
  };
  bool is_solving = false;  // true while whole solves are run
  // Of the schedules proposed together, those that were compiled. Where compiling would disturb
  // measurements, the total is that of the current round.
  Count compiled;
  Count timed;  // steps that the compiled schedules need and that were not known
  // Schedules that have a result, of all that are expected; of those proposed together if the
  // number is unknown. While solving, of those to solve.
  Count schedules;
};

class Measurer {
 public:
  // Opens the store and, in a worker process, the problem and its device. Fails if one of these
  // cannot be opened.
  static Expected<std::unique_ptr<Measurer>> open(const ExplorationTarget& target,
                                                  const MeasurerOptions& options);
  Measurer(const Measurer&) = delete;
  Measurer& operator=(const Measurer&) = delete;

  const ProblemRecord& problem() const { return context_->opened().problem; }
  const DeviceRecord& device() const { return context_->opened().device; }
  const DeviceSpec& device_spec() const { return context_->device_spec(); }  // of predictions
  Objective objective() const { return options_.objective; }
  // The target, with its backend, precision and device spec resolved.
  const ExplorationTarget& target() const { return target_; }
  MeasurementStore& store() const { return context_->store(); }
  // The results that the store held when it was opened.
  const StoredResults& stored_results() const { return table_->stored(); }

  // Compiles and measures those of the schedules that were not processed before. Where the device
  // has processors of its own, compiling goes on while others are measured. Elsewhere it would
  // disturb measurements, so that they take turns, in rounds of a few seconds: results arrive early
  // and little work is lost when the budget runs out. Returns early if the budget is used up or the
  // exploration is cancelled; finished results are in the store. If another exploration is
  // measuring a step or schedule at the moment, waits for its result. Fails if no worker can be
  // started, or if the store cannot be written.
  Expected<void> explore(const std::vector<Proposal>& proposals);
  // The same for the schedules that `more` returns, until it returns none. It is called before the
  // compiling workers run out of schedules; what it returns next must not depend on results.
  using Source = std::function<std::vector<Proposal>()>;
  Expected<void> explore(const Source& more) { return explore(0, more); }
  // From now on, a schedule with kernels that spill registers waits until all others of a call of
  // explore() are compiled. If one that spills none is predicted to be about as fast, the waiting
  // one is not measured, and its result says so.
  void leave_out_spilling() { leaves_out_spilling_ = true; }
  // Times whole solves of these schedules, which must be among the candidates, and compares their
  // results with those of the default schedule. Skips what the store already has. If several of the
  // schedules have the same program, it is run once and all of them get its result.
  Expected<void> solve(const std::vector<std::string>& hashes);

  // The schedules compiled so far, in the order in which they were proposed.
  std::vector<Candidate> candidates() const;
  // Returns the time of a nonlinear iteration, found as `measure` says. Infinite if the schedule
  // failed, absent if it was not measured.
  std::optional<double> iteration_seconds(const std::string& hash) const;
  // Returns the time by the objective: of a nonlinear iteration, or until a cost is reached. Only
  // schedules that were solved have the latter.
  std::optional<double> seconds(const std::string& hash) const;
  // From now on, is_over() is true once this share of the budget is used up; the rest is reserved
  // for later work.
  void limit_to(double share_of_budget) { context_->limit_to(share_of_budget); }
  // True if that share is used up, or after cancelling.
  bool is_over() const { return context_->is_over(); }
  std::int64_t num_steps() const {
    return table_->num_steps();
  }  // distinct ones, of all candidates
  // Steps measured by this measurer, not read from the store.
  std::int64_t num_measured() const { return num_measured_; }

  // Announces how many schedules will be proposed over the following calls of explore(); 0 if
  // unknown. Only progress reports use the number.
  void expect(std::int64_t num_schedules) { schedules_.expect(num_schedules); }
  using Progress = std::function<void(const MeasurerProgress&)>;
  void on_progress(Progress progress) { told_ = std::move(progress); }
  // The callback is called for each schedule of explore() that gets a time, in their order.
  using Timed = std::function<void(const TimedSchedule&)>;
  void on_timed(Timed timed) { timed_ = std::move(timed); }

 private:
  using Clock = std::chrono::steady_clock;

  Measurer(const ExplorationTarget& target, const MeasurerOptions& options)
      : target_(target), options_(options) {}
  Expected<void> explore(std::size_t num_schedules, const Source& more);
  // Compiles the schedules of the list, and measures them and whatever the queue has already.
  Expected<void> process(MeasuringQueue& queue);
  Expected<void> take_turns();
  void compile_more();
  // Adds those of the next schedules of the source to the list that were not processed before.
  void draw();
  void compile(const Proposal& proposal);
  void compiled(const Proposal& proposal, const WorkAnswer& answer);
  void judge_spilling();
  void tell();
  void tell_time(const KnownSchedule& known) const;

  ExplorationTarget target_;
  MeasurerOptions options_;
  std::unique_ptr<MeasurementContext> context_;
  std::optional<CandidateTable> table_;
  std::vector<std::string> order_;  // hashes of earlier candidates in proposal order
  ScheduleCount schedules_;         // reported in MeasurerProgress
  std::int64_t num_measured_ = 0;

  // The list of schedules that is being processed.
  Source source_;                 // of more schedules; empty if there are none
  std::deque<Proposal> list_;     // workers are asked for its elements, which stay where they are
  std::set<std::string> listed_;  // their hashes
  std::size_t num_begun_ = 0;     // schedules of it that were given to compiling workers
  MeasuringQueue* work_ = nullptr;
  bool leaves_out_spilling_ = false;
  std::vector<KnownSchedule*> spilling_;  // those that wait
  std::optional<RoundSizes> round_sizes_;
  Clock::time_point round_start_;
  std::size_t round_size_ = 0;
  MeasurerProgress progress_;
  Progress told_;
  Timed timed_;
};

}  // namespace thallo
