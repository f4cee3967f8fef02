#include "core/explore/worker/worker_pool.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace thallo {
namespace {

using Clock = std::chrono::steady_clock;

// The interval at which deadlines and `goes_on` are checked.
constexpr int PollMilliseconds = 100;
// A worker may be killed by accident while it starts. If it fails again and again, the cause is in
// the worker.
constexpr int MaxFailedStarts = 3;

}  // namespace

WorkerPool::WorkerPool(std::vector<std::string> command, WorkRequest open_request, int num_workers)
    : command_(std::move(command)),
      open_request_(std::move(open_request)),
      workers_(static_cast<std::size_t>(std::max(1, num_workers))) {}

WorkerPool::~WorkerPool() = default;

Expected<OpenedProblem> WorkerPool::open(const std::function<bool()>& goes_on) {
  Worker& first = workers_.front();
  while (!opened_ && goes_on()) {
    if (!first.process) start(first);
    if (!failure_.empty()) return fail("{}", failure_);
    auto ran = run([&] { return first.is_opening && goes_on(); });
    if (!ran) return fail(ran.error());
  }
  if (!opened_) return fail("the exploration was ended before the problem was opened");
  return *opened_;
}

// A worker takes no other work before it has opened the problem.
void WorkerPool::start(Worker& worker) {
  auto process = WorkerProcess::start(command_);
  if (!process) {
    note_failed_start(process.error().what);
    return;
  }
  worker.process.emplace(*std::move(process));
  worker.is_opening = true;
  send(worker, open_request_);
}

void WorkerPool::note_failed_start(const std::string& why) {
  if (++num_failed_starts_ >= MaxFailedStarts) failure_ = why;
}

void WorkerPool::submit(WorkRequest request, Done done, Part part) {
  waiting_.push_back({std::move(request), std::move(done), std::move(part)});
}

// A worker that is still opening the problem would disturb the next measurement.
bool WorkerPool::is_idle() const {
  return waiting_.empty() && std::ranges::none_of(workers_, [&](const Worker& worker) {
           return worker.job || is_busy(worker);
         });
}

void WorkerPool::hand_out() {
  for (Worker& worker : workers_) {
    if (waiting_.empty()) return;
    if (worker.job || worker.is_opening) continue;
    // An idle worker that died is replaced silently; no job was lost.
    if (worker.process) take(worker);
    if (!worker.process) {
      start(worker);
      continue;
    }
    worker.job = std::move(waiting_.front());
    waiting_.pop_front();
    send(worker, worker.job->request);
  }
}

// If the worker does not take the request, it has ended; that is detected when its output is read.
void WorkerPool::send(Worker& worker, const WorkRequest& request) {
  worker.id = ++last_id_;
  worker.doing = {};
  worker.deadline = Clock::now() + request.timeout;
  worker.process->send(request_line(worker.id, request.request));
}

void WorkerPool::take(Worker& worker) {
  while (worker.process) {
    const auto line = worker.process->receive();
    if (!line) break;
    take_answer(worker, *line);
  }
  if (worker.process && worker.process->has_ended())
    give_up(worker, ResultStatus::Crash, "the worker " + worker.process->end());
}

void WorkerPool::take_answer(Worker& worker, const std::string& line) {
  using Kind = WorkerMessage::Kind;
  const auto message = read_message(line);
  if (!message || message->id != worker.id) return;
  if (message->kind == Kind::Doing) worker.doing = message->doing;
  if (message->kind == Kind::Part && worker.job && worker.job->part) worker.job->part(*message);
  if (message->kind == Kind::Doing || message->kind == Kind::Part) {
    const WorkRequest& request = worker.job ? worker.job->request : open_request_;
    worker.deadline =
        Clock::now() + (worker.doing.step.empty() ? request.timeout : request.step_timeout);
    return;
  }
  const bool is_error = message->kind == Kind::Error;
  if (std::exchange(worker.is_opening, false)) {
    if (is_error) {
      failure_ = message->fault.reason;
      worker.process.reset();
    } else {
      opened_ = message->as<OpenedProblem>();
      num_failed_starts_ = 0;
    }
    return;
  }
  if (!worker.job) return;
  if (!is_error) {
    finish(worker, {.json = message->json});
    return;
  }
  // After a kernel has crashed on the device, this process cannot use the device any more.
  if (message->fault.status == ResultStatus::Crash) worker.process.reset();
  fail_job(worker, message->fault.status, message->fault.reason);
}

void WorkerPool::finish(Worker& worker, WorkAnswer answer) {
  const Job job = *std::exchange(worker.job, std::nullopt);
  job.done(answer);
}

void WorkerPool::fail_job(Worker& worker, ResultStatus status, const std::string& why) {
  finish(worker,
         {.status = status, .reason = why, .doing = worker.doing.what, .step = worker.doing.step});
}

void WorkerPool::give_up(Worker& worker, ResultStatus status, const std::string& why) {
  worker.process.reset();
  if (std::exchange(worker.is_opening, false)) {
    note_failed_start(fmt::format("{} while it opened the problem", why));
  } else if (worker.job) {
    fail_job(worker, status, why);
  }
}

Expected<void> WorkerPool::run(const std::function<bool()>& goes_on) {
  while (!is_idle() && goes_on()) {
    hand_out();
    if (!failure_.empty()) return fail("{}", failure_);
    std::vector<pollfd> outputs;
    std::vector<Worker*> busy;
    for (Worker& worker : workers_) {
      if (!is_busy(worker)) continue;
      outputs.push_back({worker.process->output(), POLLIN, 0});
      busy.push_back(&worker);
    }
    poll(outputs.data(), outputs.size(), PollMilliseconds);
    for (std::size_t i = 0; i < busy.size(); ++i) {
      Worker& worker = *busy[i];
      if (outputs[i].revents != 0) take(worker);
      if (is_busy(worker) && Clock::now() > worker.deadline) {
        worker.process->end();
        give_up(worker, ResultStatus::Timeout, "it took too long");
      }
    }
    if (!failure_.empty()) return fail("{}", failure_);
  }
  return {};
}

void WorkerPool::stop() {
  waiting_.clear();
  for (Worker& worker : workers_) {
    worker.process.reset();
    worker.job.reset();
    worker.is_opening = false;
  }
}

}  // namespace thallo
