#pragma once

// A worker and the request that it carries out. The worker is started when there is something to
// do, and again after it has died; it opens the problem before its first request. Whoever owns the
// client waits for the outputs of the worker, by poll() or in an event loop, and then calls take();
// at the deadline it calls check(). Explorations (worker_pool.h) and the app use workers by it.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/worker/messages.h"
#include "core/explore/worker/requests.h"
#include "core/explore/worker/worker_process.h"

namespace thallo {

// The outcome of a request: an answer, or the reason why there is none.
struct WorkAnswer {
  std::string json = {};  // empty if there is no answer
  ResultStatus status = ResultStatus::Ok;
  std::string reason = {};
  std::string doing = {};   // what the worker was doing when it failed, if known
  std::string step = {};    // the key of the step that it was timing; empty if none
  bool has_died = false;    // true if the worker ended, or was ended because it said nothing
  bool is_opening = false;  // true if it did not open the problem, and saw no request
  bool is_cancelled = false;

  bool is_ok() const { return status == ResultStatus::Ok; }
  // Request::Answer, for each kind of request.
  template <class Answer>
  Answer as() const {
    return read_message_text<Answer>(json);
  }
  // Returns the reason and, if the worker could not say it itself, what it was doing.
  std::string why() const {
    const bool is_silent = has_died || status == ResultStatus::Crash;
    return is_silent && !doing.empty() ? reason + " at: " + doing : reason;
  }
};

struct WorkerCall {
  std::optional<WorkerRequest> request;  // absent: only opens the problem
  // The longest time between two messages of the worker, in general and while it times a step.
  std::chrono::milliseconds timeout{60'000};
  std::optional<std::chrono::milliseconds> step_timeout = {};  // absent: the same
  // Called for each message before the answer.
  std::function<void(const WorkerMessage& message)> heard = {};
  // Called once. Both may begin the next call.
  std::function<void(const WorkAnswer& answer)> done;
};

// Starts a worker, or says why it cannot be started.
using WorkerStart = std::function<Expected<WorkerProcess>()>;

class WorkerClient {
 public:
  using Clock = std::chrono::steady_clock;

  explicit WorkerClient(WorkerStart start) : start_(std::move(start)) {}
  // Workers are child processes that `command` starts.
  WorkerClient(const std::vector<std::string>& command, WorkerOptions options)
      : WorkerClient([command, options] { return WorkerProcess::start(command, options); }) {}

  // Sets what each worker is asked first, or that nothing is. Ends the worker as end() does.
  std::optional<WorkerCall> set_opening(std::optional<OpenRequest> request,
                                        std::chrono::milliseconds timeout);
  // The client must not be busy. Calls back from take() or check(), never at once.
  void begin(WorkerCall call);
  // Asks the worker to end its request, and ends the worker if it does not do so in `grace`.
  void cancel(std::chrono::milliseconds grace);
  // Ends the worker. Returns what it was at: nobody is called back.
  std::optional<WorkerCall> end();

  bool is_busy() const { return call_.has_value(); }
  bool is_open() const { return is_open_; }
  int process_id() const { return process_ ? process_->id() : 0; }  // 0 if there is no worker
  // The file descriptors to wait for; none if there is no worker.
  std::vector<int> outputs() const;
  // When check() must be called. Means nothing unless the client is busy.
  Clock::time_point deadline() const { return deadline_; }

  // Takes the messages that have arrived, without waiting.
  void take();
  // Ends the worker if its time is up.
  void check();

 private:
  void send(const WorkerRequest& request, std::chrono::milliseconds timeout);
  void take_line(const std::string& line);
  void take_outcome(const WorkerMessage& message);
  void lose(ResultStatus status, const std::string& why);
  void finish(WorkAnswer answer);
  std::chrono::milliseconds timeout() const;

  WorkerStart start_;
  std::optional<OpenRequest> opening_;
  std::chrono::milliseconds open_timeout_{0};
  std::optional<WorkerProcess> process_;
  std::optional<WorkerCall> call_;
  bool is_open_ = false;  // true if the worker has opened the problem, or need not
  bool is_cancelled_ = false;
  std::string start_fault_;   // why the worker could not be started
  std::int64_t last_id_ = 0;  // of the request under way
  WorkerDoing doing_;
  Clock::time_point deadline_;
};

}  // namespace thallo
