#pragma once

// What an exploration works with: the store and the leases in it, the workers, and the time that is
// left. A failure of the store ends the exploration; until then it is kept here, since most writing
// is done where workers answer.

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/explore/store.h"
#include "core/explore/work/target.h"
#include "core/explore/work/worker_answers.h"
#include "core/explore/work/worker_pool.h"
#include "core/explore/work_leases.h"

namespace thallo {

struct WorkshopOptions {
  std::filesystem::path store;
  std::vector<std::string> worker_command;  // how a worker is started: "thallo", "worker"
  int jobs = 1;                             // workers that compile
  std::chrono::milliseconds open_timeout{300'000};
  std::chrono::milliseconds lease{10'000};
  std::optional<std::chrono::milliseconds> budget;
  const std::atomic<bool>* is_cancelled = nullptr;
};

class Workshop {
 public:
  // Opens the store and, in the worker that measures, the problem and its device; `target` then has
  // the backend and precision that it was resolved to. Fails as these do.
  static Expected<std::unique_ptr<Workshop>> open(ExplorationTarget& target,
                                                  WorkshopOptions options);
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  const OpenedProblem& opened() const { return opened_; }
  MeasurementStore& store() { return *store_; }
  WorkLeases& leases() { return *leases_; }
  // Workers that compile, without the device, and the one that measures. No two of them run at the
  // same time, since compiling would disturb what is measured.
  WorkerPool& compiling() { return *compiling_; }
  WorkerPool& measuring() { return *measuring_; }

  // From now on it is over when this share of the budget is used up: the rest is for
  // what comes after.
  void limit_to(double share_of_budget) { share_ = share_of_budget; }
  // That share of the budget is used up, or the exploration was cancelled.
  bool is_over() const;
  // Runs a pool until it is idle or the exploration is over, and then gives up all leases. Fails
  // when no worker can be started or the store has failed.
  Expected<void> run(WorkerPool& pool);
  // Until it is worth while to ask again for what another explorer measures.
  static void wait();
  // Adds to the store; what it has already, stays.
  void record(const std::vector<StoreRecord>& records);
  // Something else may have ended a worker: a crash at `what` counts when it happens again.
  bool is_first_crash(const WorkAnswer& answer, const std::string& what);

 private:
  explicit Workshop(WorkshopOptions options);

  template <class T>
  void note(const Expected<T>& done) {
    if (!done && !failure_) failure_ = done.error();
  }

  WorkshopOptions options_;
  double share_ = 1;  // of the budget
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<MeasurementStore> store_;
  std::optional<WorkLeases> leases_;
  std::unique_ptr<WorkerPool> measuring_, compiling_;
  OpenedProblem opened_;
  std::set<std::string> crashed_;      // what a worker has ended at once
  std::optional<Diagnostic> failure_;  // of the store
};

}  // namespace thallo
