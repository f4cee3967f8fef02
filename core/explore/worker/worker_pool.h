#pragma once

// Workers that carry out requests about one problem side by side. If a worker exits, takes too long
// or reports a crash, its request fails and another worker is started for the next one; the other
// workers are not affected.

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/explore/worker/worker_client.h"

namespace thallo {

// The place of a worker: how it is started, and what it opens first.
struct WorkerSeat {
  WorkerStart start;
  OpenRequest open;
};

class WorkerPool {
 public:
  // Each seat has one worker at a time; there is at least one seat.
  WorkerPool(const std::vector<WorkerSeat>& seats, std::chrono::milliseconds open_timeout);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Starts all workers, which open the problem, and returns their answers, one for each seat. Fails
  // with a worker's reason, or if `goes_on` (see run()) returns false first.
  Expected<std::vector<OpenedProblem>> open(const std::function<bool()>& goes_on);

  // Queues a request for the next worker that is free. Its callbacks are called during run() or
  // turn(), and may submit further requests.
  void submit(WorkerCall call) { waiting_.push_back(std::move(call)); }
  // True if no request waits or is carried out.
  bool is_idle() const;
  // Returns how many workers would be free if each waiting request had one.
  std::size_t num_free() const;

  // Sends requests to workers and takes their answers until none are left, or until `goes_on`,
  // which is asked several times a second, returns false. Running requests then continue. Fails if
  // a worker refuses to open the problem, or if none opens it in three attempts; call stop() then.
  Expected<void> run(const std::function<bool()>& goes_on);
  // Does the same once for several pools: sends requests, waits for a moment or until a worker says
  // something, and takes what they say.
  static Expected<void> turn(std::initializer_list<WorkerPool*> pools);
  // Kills the workers. Requests that are waiting or running are dropped.
  void stop();

 private:
  void hand_out();
  Expected<void> take();
  WorkerClient* find_free();
  void not_opened(WorkerCall call, const WorkAnswer& answer);
  // True if a worker that did not open the problem is worth another attempt; otherwise the pool has
  // failed.
  bool is_start_repeated(const WorkAnswer& answer);

  std::deque<WorkerCall> waiting_;
  std::vector<WorkerClient> workers_;
  int num_failed_starts_ = 0;  // since a worker last opened the problem
  std::string failure_;        // why no worker can be started or opens the problem, or empty
};

}  // namespace thallo
