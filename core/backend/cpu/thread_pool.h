#pragma once

// A few threads that wait for work. A piece of work is cut into parts; the caller begins with them
// at once and the threads take parts as they wake up, so that on a busy machine nobody waits for a
// thread that has not started. Waking up costs microseconds: small work is better done by the
// caller alone.

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

  // task(0) ... task(num_parts - 1), each once, on any thread; it must not throw. Returns when all
  // are done.
  void run(int num_parts, const std::function<void(int)>& task);

 private:
  bool take_part();
  void work(const std::stop_token& stop);

  // Number of the run in the upper half, parts nobody has taken in the lower: whoever takes one by
  // compare-and-swap knows that the run is still on, since it cannot end without that part.
  std::atomic<std::uint64_t> tickets_ = 0;
  std::atomic<int> unfinished_ = 0;
  std::atomic<std::uint32_t> wake_ = 0;  // goes up when there is work, or the end
  const std::function<void(int)>* task_ = nullptr;
  std::vector<std::jthread> threads_;
};

}  // namespace thallo
