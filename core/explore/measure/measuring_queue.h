#pragma once

// What the measuring workers of an exploration have to do. A queue belongs to one list of schedules
// and holds those of them that were compiled; there is one for each way to measure (step_queue.h,
// solve_queue.h).

#include <chrono>
#include <cstdint>
#include <functional>

#include "core/base/diagnostic.h"
#include "core/explore/measure/candidate_table.h"

namespace thallo {

// How long a worker may take for each kind of work. A worker that takes longer is killed, and the
// schedule gets the status Timeout.
struct ExplorerTimeouts {
  std::chrono::milliseconds prepare{300'000};  // to compile a schedule
  std::chrono::milliseconds load{120'000};     // to compile it, load data, run one iteration
  std::chrono::milliseconds step{10'000};      // to time a step
  std::chrono::milliseconds solve{600'000};    // for a solve
};

// Called when a schedule of a queue has a result. It may have had it before.
using ScheduleFinished = std::function<void(const KnownSchedule&)>;

class MeasuringQueue {
 public:
  virtual ~MeasuringQueue() = default;

  // Adds a schedule. It must outlive the queue.
  virtual void add(KnownSchedule& known) = 0;
  // Gives work to the workers that are free, as long as there is some. Fails if the store does.
  virtual Expected<void> hand_out() = 0;
  // True if something waits for a worker, or for another exploration.
  virtual bool has_work() const = 0;
  // Asks again for what other explorations were measuring. Called when nothing else is left.
  virtual void retry() = 0;
  // Must be called when the queue has no work, or when the exploration is over: gives results to
  // the schedules that have none yet, if that is possible.
  virtual void finish() = 0;

  virtual std::int64_t num_finished() const = 0;  // schedules
};

}  // namespace thallo
