#include "core/backend/cpu/thread_pool.h"

#include <system_error>

namespace thallo {
namespace {

constexpr std::uint64_t OneRun = std::uint64_t{1} << 32;

}  // namespace

ThreadPool::ThreadPool(int num_threads) {
  try {
    for (int i = 1; i < num_threads; ++i)
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  } catch (const std::system_error&) {  // num_threads() says how many there are
  }
}

ThreadPool::~ThreadPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  ++wake_;
  wake_.notify_all();
}

void ThreadPool::run(int num_parts, const std::function<void(int)>& task) {
  if (threads_.empty() || num_parts <= 1) {
    for (int part = 0; part < num_parts; ++part) task(part);
    return;
  }
  task_ = &task;
  unfinished_ = num_parts;
  const std::uint64_t run = tickets_ / OneRun + 1;
  tickets_ = run * OneRun + static_cast<std::uint64_t>(num_parts);
  ++wake_;
  wake_.notify_all();
  while (take_part()) {
  }
  for (int left = unfinished_; left != 0; left = unfinished_) unfinished_.wait(left);
}

bool ThreadPool::take_part() {
  std::uint64_t tickets = tickets_;
  do {
    if (tickets % OneRun == 0) return false;
  } while (!tickets_.compare_exchange_weak(tickets, tickets - 1));
  (*task_)(static_cast<int>(tickets % OneRun) - 1);
  if (--unfinished_ == 0) unfinished_.notify_one();
  return true;
}

void ThreadPool::work(const std::stop_token& stop) {
  std::uint32_t seen = 0;
  while (!stop.stop_requested()) {
    while (take_part()) {
    }
    wake_.wait(seen);
    seen = wake_;
  }
}

}  // namespace thallo
