#pragma once

// Workers that carry out requests about one problem side by side. If a worker exits, takes too long
// or reports a crash, its request fails and another worker is started for the next one; the other
// workers are not affected.

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/explore/worker/worker_client.h"

namespace thallo {

class WorkerPool {
 public:
  // `command` starts a worker. `open_request` makes it open the problem.
  WorkerPool(const std::vector<std::string>& command, const OpenRequest& open_request,
             std::chrono::milliseconds open_timeout, int num_workers);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Starts the first worker, which opens the problem, and returns its answer. Fails with the
  // worker's reason, or if `goes_on` (see run()) returns false first.
  Expected<OpenedProblem> open(const std::function<bool()>& goes_on);

  // Queues a request. Its callbacks are called during run(), and may submit further requests.
  void submit(WorkerCall call) { waiting_.push_back(std::move(call)); }

  // Sends requests to workers and takes their answers until none are left, or until `goes_on`,
  // which is asked several times a second, returns false. Running requests then continue. Fails if
  // a worker refuses to open the problem, or if none opens it in three attempts; call stop() then.
  Expected<void> run(const std::function<bool()>& goes_on);
  // Kills the workers. Requests that are waiting or running are dropped.
  void stop();

 private:
  bool is_idle() const;
  void hand_out();
  WorkerClient* find_free();
  void not_opened(WorkerCall call, const WorkAnswer& answer);

  std::deque<WorkerCall> waiting_;
  std::vector<WorkerClient> workers_;
  int num_failed_starts_ = 0;  // since a worker last opened the problem
  std::string failure_;        // why no worker can be started or opens the problem, or empty
};

}  // namespace thallo
