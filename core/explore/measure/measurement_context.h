#pragma once

// The resources of an exploration: the store and the leases in it, the workers, and the remaining
// time. A failure of the store ends the exploration. It is kept here until run() returns it,
// because most records are written in callbacks of workers.

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/explore/space/target.h"
#include "core/explore/store/store.h"
#include "core/explore/worker/answers.h"
#include "core/explore/worker/worker_pool.h"

namespace thallo {

struct MeasurementOptions {
  std::filesystem::path store;
  std::vector<std::string> worker_command;  // starts a worker: "thallo", "worker"
  // What starts the workers that measure, side by side; empty: worker_command, one for each device.
  std::vector<WorkerStart> measuring = {};
  // Workers that compile; 0: one for each core, without those that serve devices meanwhile.
  int jobs = 0;
  // The devices of the backend that measure side by side; empty: the target's. They must be of one
  // kind. The workers of `measuring` take them in turn.
  std::vector<int> devices = {};
  std::chrono::milliseconds open_timeout{300'000};
  std::chrono::milliseconds lease{10'000};
  std::optional<std::chrono::milliseconds> budget;
  const std::atomic<bool>* is_cancelled = nullptr;
  bool was_cancelled() const { return is_cancelled != nullptr && *is_cancelled; }
  // Replace: everything is measured anew, and replaces what the store has.
  Existing existing = Existing::Keep;
};

// The leases that an exploration holds in a store (store.h) on what it is measuring, so that other
// explorations of the same store measure something else meanwhile.
class WorkLeases {
 public:
  // Leases last for `duration` and are renewed before they expire. With Existing::Replace, work
  // that the store has results of is claimed, too. The store must outlive this object.
  WorkLeases(MeasurementStore& store, std::chrono::milliseconds duration, Existing existing)
      : store_(store), duration_(duration), existing_(existing) {}
  WorkLeases(const WorkLeases&) = delete;
  WorkLeases& operator=(const WorkLeases&) = delete;
  ~WorkLeases();

  // Claims all of the slots or none. Returns Held if another exploration is measuring one of them,
  // and Done if the store has all of them.
  Expected<Claim> claim(const std::vector<ResultSlot>& slots);
  // Must be called at least once a second while the work goes on.
  Expected<void> renew();
  // Gives up those of these claims that have no result yet.
  Expected<void> release(const std::vector<ResultSlot>& slots);
  // Gives up every claim that has no result yet.
  Expected<void> release_all();

 private:
  MeasurementStore& store_;
  std::chrono::milliseconds duration_;
  Existing existing_;
  std::set<ResultSlot> held_;
  std::chrono::steady_clock::time_point renewed_;
};

class MeasurementContext {
 public:
  // Opens the store and, in the measuring worker, the problem and its device. Sets the backend and
  // precision of `target` to the resolved ones. Fails if one of these cannot be opened.
  static Expected<std::unique_ptr<MeasurementContext>> open(ExplorationTarget& target,
                                                            MeasurementOptions options);
  MeasurementContext(const MeasurementContext&) = delete;
  MeasurementContext& operator=(const MeasurementContext&) = delete;

  const OpenedProblem& opened() const { return opened_; }
  const DeviceSpec& device_spec() const { return spec_; }  // that predictions are made for
  MeasurementStore& store() { return *store_; }
  WorkLeases& leases() { return *leases_; }
  // The workers that compile, which do not use a device, and those that measure, one a device.
  WorkerPool& compiling() { return *compiling_; }
  WorkerPool& measuring() { return *measuring_; }
  // True if compiling does not disturb measurements, because devices have processors of their own.
  bool measures_beside_compiling() const { return opened_.device.backend == "cuda"; }
  std::size_t num_compiling() const { return num_compiling_; }  // workers
  bool is_idle() const { return measuring_->is_idle() && compiling_->is_idle(); }

  // From now on, is_over() is true once this share of the budget is used up; the rest is reserved
  // for later work.
  void limit_to(double share_of_budget) { share_ = share_of_budget; }
  // True if that share of the budget is used up, or if the exploration was cancelled.
  bool is_over() const;
  // Renews the leases, and lets both pools take a turn (worker_pool.h). Fails if no worker can be
  // started or if the store has failed.
  Expected<void> turn();
  // Must be called after the last turn, with what it returned. Gives up all leases. Ends the
  // workers if a turn failed or if the exploration is over: what they still do is of no use.
  Expected<void> end_turns(Expected<void> last);
  // Sleeps until it is worth asking again for results of another exploration.
  static void wait();
  // Gives up the leases of these slots, unless they have ended.
  void give_up(const std::vector<ResultSlot>& slots) { note(leases_->release(slots)); }
  // Adds records to the store; MeasurementOptions::existing says what happens to existing results.
  void record(const std::vector<StoreRecord>& records);
  // True if this crash at `what` is the first one. Something else may have killed the worker, so a
  // crash counts only if it is repeated.
  bool is_first_crash(const WorkAnswer& answer, const std::string& what);

 private:
  explicit MeasurementContext(MeasurementOptions options);

  std::size_t wanted_compiling() const;
  template <class T>
  void note(const Expected<T>& done) {
    if (!done && !failure_) failure_ = done.error();
  }

  MeasurementOptions options_;
  double share_ = 1;  // of the budget
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<MeasurementStore> store_;
  std::optional<WorkLeases> leases_;
  std::unique_ptr<WorkerPool> measuring_, compiling_;
  std::size_t num_compiling_ = 1;
  OpenedProblem opened_;
  DeviceSpec spec_;
  std::set<std::string> crashed_;      // what workers crashed at, once each
  std::optional<Diagnostic> failure_;  // of the store
};

}  // namespace thallo
