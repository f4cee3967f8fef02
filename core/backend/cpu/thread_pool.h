#pragma once

// A few threads that wait for work. Work is cut into parts; the caller starts on them at once and
// the threads take parts as they wake up, so on a busy machine the caller never waits for a thread
// that has not started yet. Waking up a thread costs microseconds: the caller alone does small work
// faster.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace thallo {

class ThreadPool {
 public:
  // The caller of run() counts as one of the threads. There are fewer if the system starts fewer.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls task(0) ... task(num_parts - 1), each once, on any thread; the task must not throw.
  // Returns when all calls have returned. Must not be called by two threads at once.
  void run(int num_parts, const std::function<void(int)>& task);

 private:
  bool take_part();
  void work(const std::stop_token& stop);

  // The number of the run in the upper 32 bits, the number of parts that nobody has taken in the
  // lower. A thread that takes a part by compare-and-swap therefore knows that the run is still on,
  // since the run cannot end without that part.
  std::atomic<std::uint64_t> tickets_ = 0;
  std::atomic<int> unfinished_ = 0;      // parts of the run that have not ended
  std::atomic<std::uint32_t> wake_ = 0;  // incremented when there is work, and by the destructor
  const std::function<void(int)>* task_ = nullptr;
  std::vector<std::jthread> threads_;
};

}  // namespace thallo
