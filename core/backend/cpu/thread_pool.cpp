#include "core/backend/cpu/thread_pool.h"

namespace thallo {

ThreadPool::ThreadPool(int num_threads) {
  for (int i = 1; i < num_threads; ++i) threads_.emplace_back([this, i] { work(i); });
}

ThreadPool::~ThreadPool() {
  task_ = nullptr;
  ++round_;
  round_.notify_all();
}

void ThreadPool::run(const std::function<void(int)>& task) {
  if (threads_.empty()) {
    task(0);
    return;
  }
  task_ = &task;
  unfinished_ = static_cast<int>(threads_.size());
  ++round_;
  round_.notify_all();
  task(0);
  for (int left = unfinished_; left != 0; left = unfinished_) unfinished_.wait(left);
}

void ThreadPool::work(int thread) {
  std::uint64_t seen = 0;
  for (;;) {
    round_.wait(seen);
    seen = round_;
    if (task_ == nullptr) return;
    (*task_)(thread);
    if (--unfinished_ == 0) unfinished_.notify_one();
  }
}

}  // namespace thallo
