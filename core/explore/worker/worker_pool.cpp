#include "core/explore/worker/worker_pool.h"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace thallo {
namespace {

// The interval at which deadlines and `goes_on` are checked.
constexpr int PollMilliseconds = 100;
// A worker, or a compiler that calibrates for it, may be killed by accident while it starts. If it
// fails again and again, the cause is in the worker.
constexpr int MaxFailedStarts = 3;

}  // namespace

WorkerPool::WorkerPool(const std::vector<WorkerSeat>& seats,
                       std::chrono::milliseconds open_timeout) {
  for (const WorkerSeat& seat : seats)
    workers_.emplace_back(seat.start).set_opening(seat.open, open_timeout);
}

Expected<std::vector<OpenedProblem>> WorkerPool::open(const std::function<bool()>& goes_on) {
  std::vector<OpenedProblem> opened(workers_.size());
  std::size_t num_opened = 0;
  const std::function<void(std::size_t)> begin = [&](std::size_t seat) {
    workers_[seat].begin({.done = [&, seat](const WorkAnswer& answer) {
      if (answer.is_ok()) {
        opened[seat] = answer.as<OpenedProblem>();
        ++num_opened;
      } else if (is_start_repeated(answer)) {
        begin(seat);
      }
    }});
  };
  for (std::size_t seat = 0; seat < workers_.size(); ++seat) begin(seat);
  THALLO_CHECK(run(goes_on));
  if (num_opened < workers_.size())
    return fail("the exploration was ended before the problem was opened");
  return opened;
}

// A worker that is still opening the problem would disturb the next measurement.
bool WorkerPool::is_idle() const {
  return waiting_.empty() && std::ranges::none_of(workers_, &WorkerClient::is_busy);
}

std::size_t WorkerPool::num_free() const {
  const auto busy =
      static_cast<std::size_t>(std::ranges::count_if(workers_, &WorkerClient::is_busy));
  return workers_.size() - std::min(workers_.size(), busy + waiting_.size());
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
  is_start_repeated(answer);
}

bool WorkerPool::is_start_repeated(const WorkAnswer& answer) {
  const bool is_accident = answer.has_died || answer.status == ResultStatus::Crash;
  if (is_accident && ++num_failed_starts_ < MaxFailedStarts) return true;
  failure_ = answer.why();
  return false;
}

Expected<void> WorkerPool::turn(std::initializer_list<WorkerPool*> pools) {
  std::vector<pollfd> outputs;
  for (WorkerPool* pool : pools) {
    pool->hand_out();
    for (const WorkerClient& worker : pool->workers_)
      if (worker.is_busy())
        for (const int output : worker.outputs()) outputs.push_back({output, POLLIN, 0});
  }
  poll(outputs.data(), outputs.size(), outputs.empty() ? 0 : PollMilliseconds);
  for (WorkerPool* pool : pools) THALLO_CHECK(pool->take());
  return {};
}

Expected<void> WorkerPool::take() {
  for (WorkerClient& worker : workers_) {
    if (!worker.is_busy()) continue;
    worker.take();
    worker.check();
  }
  if (!failure_.empty()) return fail("{}", failure_);
  return {};
}

Expected<void> WorkerPool::run(const std::function<bool()>& goes_on) {
  while (!is_idle() && goes_on()) THALLO_CHECK(turn({this}));
  return {};
}

void WorkerPool::stop() {
  waiting_.clear();
  for (WorkerClient& worker : workers_) worker.end();
}

}  // namespace thallo
