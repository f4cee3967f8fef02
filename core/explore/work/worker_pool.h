#pragma once

// Worker processes that carry out requests about one problem. A worker that ends, takes too long or
// reports a crash fails its request, and another is started for the next; the others go on.

#include <chrono>
#include <cstdint>
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
  // The time that the worker may take from one message to the next, and while it times a step.
  std::chrono::milliseconds timeout{60'000}, step_timeout{60'000};
};

// What became of a request: an answer, or why there is none.
struct WorkAnswer {
  std::string json;  // empty without an answer
  ResultStatus status = ResultStatus::Ok;
  std::string reason;
  std::string doing;  // what the worker was at when it failed; empty if it did not say
  std::string step;   // the key of the step that it was at; empty if at none

  std::string why() const { return doing.empty() ? reason : reason + " at: " + doing; }
};

class WorkerPool {
 public:
  // How workers are started, and how they open the problem: the request "open" without an id.
  WorkerPool(std::vector<std::string> command, WorkRequest open_request, int num_workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Starts the first worker, in which the problem is opened. Returns what it answers; fails with
  // its reason, and when `goes_on` (see run()) has returned false before.
  Expected<std::string> open(const std::function<bool()>& goes_on);

  using Done = std::function<void(const WorkAnswer&)>;
  using Part = std::function<void(const std::string& json)>;
  // Waits in line for a worker. `done` is called in run(), and before it `part` for each message
  // with a part of the answer. Both may submit.
  void submit(WorkRequest request, Done done, Part part = {});

  // Hands out requests and takes answers until none is left, or until `goes_on` returns false,
  // which is asked several times a second. Requests that are under way then stay so. Fails when a
  // worker refuses to open the problem, and when none opens it in three attempts; stop() then.
  Expected<void> run(const std::function<bool()>& goes_on);
  // Ends the workers. Requests that wait or are under way are forgotten.
  void stop();

 private:
  struct Job {
    WorkRequest request;
    Done done;
    Part part;
  };
  struct Worker {
    std::optional<WorkerProcess> process;
    std::optional<Job> job;
    bool is_opening = false;
    std::int64_t id = 0;  // of the request that is under way
    std::string doing, step;
    std::chrono::steady_clock::time_point deadline;
  };
  bool is_idle() const;
  bool is_busy(const Worker& worker) const {
    return worker.process && (worker.job || worker.is_opening);
  }
  void start(Worker& worker);
  void note_failed_start(const std::string& why);
  void hand_out();
  void send(Worker& worker, const WorkRequest& request);
  void take(Worker& worker);
  void take_answer(Worker& worker, const std::string& line);
  void finish(Worker& worker, WorkAnswer answer);
  void give_up(Worker& worker, ResultStatus status, const std::string& why);

  std::vector<std::string> command_;
  WorkRequest open_request_;
  std::deque<Job> waiting_;
  std::vector<Worker> workers_;
  std::int64_t last_id_ = 0;
  std::string opened_;         // the answer to the last opening
  int num_failed_starts_ = 0;  // since a worker was last opened
  std::string failure_;  // why no worker can be started or opens the problem; empty while one can
};

}  // namespace thallo
