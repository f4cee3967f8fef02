#pragma once

// A few threads that wait for work and all do the same task: one call, every thread runs it once
// with its own number, the call returns when the last is done. Starting them takes microseconds, so
// that small kernels are better run by the caller alone.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace thallo {

class ThreadPool {
 public:
  // The caller of run() is one of the threads.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return static_cast<int>(threads_.size()) + 1; }

  // task(0) ... task(num_threads() - 1), in parallel; it must not throw.
  void run(const std::function<void(int)>& task);

 private:
  void work(int thread);

  std::atomic<std::uint64_t> round_ = 0;  // goes up when there is work
  std::atomic<int> unfinished_ = 0;
  const std::function<void(int)>* task_ = nullptr;  // null: the threads end
  std::vector<std::jthread> threads_;
};

}  // namespace thallo
