#include "core/explore/worker/worker_pool.h"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace thallo {
namespace {

// The interval at which deadlines and `goes_on` are checked.
constexpr int PollMilliseconds = 100;
// A worker may be killed by accident while it starts. If it fails again and again, the cause is in
// the worker.
constexpr int MaxFailedStarts = 3;

}  // namespace

WorkerPool::WorkerPool(const std::vector<std::string>& command, const OpenRequest& open_request,
                       std::chrono::milliseconds open_timeout, int num_workers) {
  for (int i = 0; i < std::max(1, num_workers); ++i)
    workers_.emplace_back(command, WorkerOptions()).set_opening(open_request, open_timeout);
}

Expected<OpenedProblem> WorkerPool::open(const std::function<bool()>& goes_on) {
  std::optional<OpenedProblem> opened;
  submit({.request = {},
          .done = [&](const WorkAnswer& answer) { opened = answer.as<OpenedProblem>(); }});
  if (auto ran = run(goes_on); !ran) return fail(ran.error());
  if (!opened) return fail("the exploration was ended before the problem was opened");
  return *std::move(opened);
}

// A worker that is still opening the problem would disturb the next measurement.
bool WorkerPool::is_idle() const {
  return waiting_.empty() && std::ranges::none_of(workers_, &WorkerClient::is_busy);
}

// Prefers workers that have opened the problem.
WorkerClient* WorkerPool::find_free() {
  WorkerClient* found = nullptr;
  for (WorkerClient& worker : workers_)
    if (!worker.is_busy() && (found == nullptr || (worker.is_open() && !found->is_open())))
      found = &worker;
  return found;
}

void WorkerPool::hand_out() {
  while (!waiting_.empty()) {
    WorkerClient* worker = find_free();
    if (worker == nullptr) return;
    WorkerCall call = std::move(waiting_.front());
    waiting_.pop_front();
    WorkerCall begun = call;
    begun.done = [this, call = std::move(call)](const WorkAnswer& answer) {
      if (answer.is_opening) return not_opened(call, answer);
      num_failed_starts_ = 0;
      call.done(answer);
    };
    worker->begin(std::move(begun));
  }
}

void WorkerPool::not_opened(WorkerCall call, const WorkAnswer& answer) {
  waiting_.push_front(std::move(call));
  if (!answer.has_died || ++num_failed_starts_ >= MaxFailedStarts) failure_ = answer.why();
}

Expected<void> WorkerPool::run(const std::function<bool()>& goes_on) {
  while (!is_idle() && goes_on()) {
    hand_out();
    std::vector<pollfd> outputs;
    for (const WorkerClient& worker : workers_)
      if (worker.is_busy())
        for (const int output : worker.outputs()) outputs.push_back({output, POLLIN, 0});
    poll(outputs.data(), outputs.size(), outputs.empty() ? 0 : PollMilliseconds);
    for (WorkerClient& worker : workers_) {
      if (!worker.is_busy()) continue;
      worker.take();
      worker.check();
    }
    if (!failure_.empty()) return fail("{}", failure_);
  }
  return {};
}

void WorkerPool::stop() {
  waiting_.clear();
  for (WorkerClient& worker : workers_) worker.end();
}

}  // namespace thallo
