#pragma once

// Worker processes that carry out requests about one problem. A worker that ends or takes too long
// fails its request and is started again for the next; the others go on.

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/explore/store_records.h"
#include "core/explore/work/target.h"
#include "core/explore/work/worker_process.h"

namespace thallo {

struct WorkRequest {
  // A JSON object without an id, "do" and what belongs to it (worker.h).
  std::string json;
  std::chrono::milliseconds timeout{60'000};
};

// What became of a request: an answer, or why there is none.
struct WorkAnswer {
  std::string json;  // empty without an answer
  ResultStatus status = ResultStatus::Ok;
  std::string reason;
  std::string doing;  // what the worker was at when it failed; empty if it did not say
};

class WorkerPool {
 public:
  // How workers are started, and how they open the problem: the request "open".
  WorkerPool(std::vector<std::string> command, std::string open_request, int num_workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Starts the workers if they do not run and opens the problem in the first of them. Returns what
  // that one answers; fails with its reason.
  Expected<std::string> open();

  using Done = std::function<void(const WorkAnswer&)>;
  // Waits in line for a worker; `done` is called in run().
  void submit(WorkRequest request, Done done);
  std::size_t num_waiting() const { return waiting_.size(); }
  bool is_idle() const;

  // Hands out requests and takes answers until none is left, or until `goes_on` returns false,
  // which is asked several times a second. Requests that are under way then stay so.
  void run(const std::function<bool()>& goes_on);
  // Why no worker can be started or opens the problem; empty while they do. run() returns then.
  const std::string& failure() const { return failed_start_; }
  // Ends the workers. Requests that wait or are under way are forgotten.
  void stop();

 private:
  struct Job {
    WorkRequest request;
    Done done;
  };
  struct Worker {
    std::optional<WorkerProcess> process;
    std::optional<Job> job;
    bool is_opening = false;
    std::string doing;
    std::chrono::steady_clock::time_point deadline;
  };
  bool start(Worker& worker);
  void hand_out();
  void take(Worker& worker);
  void finish(Worker& worker, WorkAnswer answer);
  void give_up(Worker& worker, ResultStatus status, const std::string& why);

  std::vector<std::string> command_;
  std::string open_request_;
  std::deque<Job> waiting_;
  std::vector<Worker> workers_;
  std::string opened_;        // the answer to the last opening
  std::string failed_start_;  // why a worker could not be started or did not open the problem
};

}  // namespace thallo
