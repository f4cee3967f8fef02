#include "core/explore/work/worker_pool.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

// Between two looks at deadlines and at whether to go on.
constexpr int PollMilliseconds = 100;
// To load plugins, make a problem's input and calibrate a device.
constexpr std::chrono::milliseconds OpenTimeout{300'000};

}  // namespace

WorkerPool::WorkerPool(std::vector<std::string> command, std::string open_request, int num_workers)
    : command_(std::move(command)),
      open_request_(std::move(open_request)),
      workers_(static_cast<std::size_t>(std::max(1, num_workers))) {}

WorkerPool::~WorkerPool() = default;

Expected<std::string> WorkerPool::open() {
  Worker& first = workers_.front();
  if (!first.process && !start(first)) return fail("{}", failed_start_);
  while (first.is_opening) {
    run([&first] { return first.is_opening; });
    if (!failed_start_.empty()) return fail("{}", failed_start_);
  }
  return opened_;
}

// A worker takes no work before it has opened the problem.
bool WorkerPool::start(Worker& worker) {
  auto process = WorkerProcess::start(command_);
  if (!process) {
    failed_start_ = process.error().what;
    return false;
  }
  worker.process.emplace(*std::move(process));
  worker.is_opening = true;
  worker.doing = "opening the problem";
  worker.deadline = std::chrono::steady_clock::now() + OpenTimeout;
  worker.process->send(open_request_);
  return true;
}

void WorkerPool::submit(WorkRequest request, Done done) {
  waiting_.push_back({std::move(request), std::move(done)});
}

bool WorkerPool::is_idle() const {
  return waiting_.empty() &&
         std::ranges::none_of(workers_, [](const Worker& worker) { return worker.job.has_value(); });
}

void WorkerPool::hand_out() {
  for (Worker& worker : workers_) {
    if (waiting_.empty()) return;
    if (worker.job || worker.is_opening) continue;
    if (!worker.process) {
      start(worker);
      continue;
    }
    worker.job = std::move(waiting_.front());
    waiting_.pop_front();
    worker.doing.clear();
    worker.deadline = std::chrono::steady_clock::now() + worker.job->request.timeout;
    Json request = Json::parse(worker.job->request.json);
    request["id"] = 1;
    worker.process->send(request.dump());
  }
}

void WorkerPool::take(Worker& worker) {
  while (const auto line = worker.process->receive()) {
    const Json message = Json::parse(*line, nullptr, false);
    if (message.is_discarded()) continue;  // what a library prints is no message
    if (message.contains("doing")) {
      worker.doing = message["doing"].get<std::string>();
      continue;
    }
    const bool is_error = message.contains("error");
    if (worker.is_opening) {
      worker.is_opening = false;
      if (is_error) {
        failed_start_ = message["error"].get<std::string>();
        worker.process.reset();
        return;
      }
      opened_ = *line;
      continue;
    }
    if (!worker.job) continue;
    if (!is_error) {
      finish(worker, {.json = *line});
      continue;
    }
    const auto status = parse_result_status(message.value("status", "not_run"));
    finish(worker, {.status = status.value_or(ResultStatus::NotRun),
                    .reason = message["error"].get<std::string>(),
                    .doing = worker.doing});
  }
  if (worker.process->has_ended())
    give_up(worker, ResultStatus::Crash, "the worker " + worker.process->end());
}

void WorkerPool::finish(Worker& worker, WorkAnswer answer) {
  const Job job = *std::exchange(worker.job, std::nullopt);
  job.done(answer);
}

void WorkerPool::give_up(Worker& worker, ResultStatus status, const std::string& why) {
  const std::string doing = worker.doing;
  worker.process.reset();
  if (std::exchange(worker.is_opening, false)) {
    failed_start_ = fmt::format("{} while it opened the problem", why);
    return;
  }
  if (worker.job) finish(worker, {.status = status, .reason = why, .doing = doing});
}

void WorkerPool::run(const std::function<bool()>& goes_on) {
  while (goes_on()) {
    hand_out();
    if (!failed_start_.empty()) return;
    std::vector<pollfd> outputs;
    std::vector<Worker*> running;
    for (Worker& worker : workers_) {
      if (!worker.process || (!worker.job && !worker.is_opening)) continue;
      outputs.push_back({worker.process->output(), POLLIN, 0});
      running.push_back(&worker);
    }
    if (running.empty()) return;
    poll(outputs.data(), outputs.size(), PollMilliseconds);
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (outputs[i].revents != 0) take(*running[i]);
      Worker& worker = *running[i];
      if (worker.process && (worker.job || worker.is_opening) &&
          std::chrono::steady_clock::now() > worker.deadline) {
        worker.process->end();
        give_up(worker, ResultStatus::Timeout, "it took too long");
      }
    }
  }
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
