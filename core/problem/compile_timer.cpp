#include "core/problem/compile_timer.h"

#include <chrono>
#include <utility>

namespace thallo {

CompileTimer::CompileTimer(std::stop_token caller, double seconds)
    : caller_(std::move(caller)), follow_caller_(caller_, RequestStop{stop_}) {
  if (seconds <= 0) return;
  clock_ = std::jthread([this, seconds](const std::stop_token& done) { wait(done, seconds); });
}

void CompileTimer::wait(const std::stop_token& done, double seconds) {
  std::unique_lock lock(mutex_);
  ended_.wait_for(lock, done, std::chrono::duration<double>(seconds), [] { return false; });
  if (!done.stop_requested()) stop_.request_stop();
}

}  // namespace thallo
