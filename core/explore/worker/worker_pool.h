#pragma once

// Worker processes that carry out requests about one problem. If a worker exits, takes too long or
// reports a crash, its request fails and another worker is started for the next one; the other
// workers are not affected.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/explore/worker/messages.h"
#include "core/explore/worker/requests.h"
#include "core/explore/worker/worker_process.h"

namespace thallo {

struct WorkRequest {
  WorkerRequest request;
  // The longest time between two messages of the worker, in general and while it times a step.
  std::chrono::milliseconds timeout{60'000}, step_timeout{60'000};
};

// The outcome of a request: an answer, or the reason why there is none.
struct WorkAnswer {
  std::string json = {};  // empty if there is no answer
  ResultStatus status = ResultStatus::Ok;
  std::string reason = {};
  std::string doing = {};  // what the worker was doing when it failed, if known
  std::string step = {};   // the key of the step that it was timing; empty if none

  // Request::Answer, for each kind of request.
  template <class Answer>
  Answer as() const {
    return read_message_text<Answer>(json);
  }
  std::string why() const { return doing.empty() ? reason : reason + " at: " + doing; }
};

class WorkerPool {
 public:
  // `command` starts a worker. `open_request` makes it open the problem.
  WorkerPool(std::vector<std::string> command, WorkRequest open_request, int num_workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Starts the first worker, which opens the problem, and returns its answer. Fails with the
  // worker's reason, or if `goes_on` (see run()) returns false first.
  Expected<OpenedProblem> open(const std::function<bool()>& goes_on);

  using Done = std::function<void(const WorkAnswer&)>;
  using Part = std::function<void(const WorkerMessage& part)>;
  // Queues a request. During run(), `part` is called for each message with a part of the answer,
  // then `done`. Both may submit further requests.
  void submit(WorkRequest request, Done done, Part part = {});

  // Sends requests to workers and takes their answers until none are left, or until `goes_on`,
  // which is asked several times a second, returns false. Running requests then continue. Fails if
  // a worker refuses to open the problem, or if none opens it in three attempts; call stop() then.
  Expected<void> run(const std::function<bool()>& goes_on);
  // Kills the workers. Requests that are waiting or running are dropped.
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
    std::int64_t id = 0;  // of the running request
    WorkerDoing doing;
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
  void fail_job(Worker& worker, ResultStatus status, const std::string& why);
  void give_up(Worker& worker, ResultStatus status, const std::string& why);

  std::vector<std::string> command_;
  WorkRequest open_request_;
  std::deque<Job> waiting_;
  std::vector<Worker> workers_;
  std::int64_t last_id_ = 0;
  std::optional<OpenedProblem> opened_;  // the answer to the last opening
  int num_failed_starts_ = 0;            // since a worker last opened the problem
  std::string failure_;  // why no worker can be started or opens the problem, or empty
};

}  // namespace thallo
