// Stops compiling early: when the caller requests it, or when it has taken too long.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace thallo {

class CompileTimer {
 public:
  // `seconds` count from now; 0 = never.
  CompileTimer(std::stop_token caller, double seconds);

  // Returns a token that is stopped when the caller requests a stop or the time is over. Without a
  // limit, it is the caller's token, which remains usable after the timer is destroyed.
  std::stop_token token() const { return clock_.joinable() ? stop_.get_token() : caller_; }
  bool is_over() const { return stop_.stop_requested() && !caller_.stop_requested(); }

 private:
  struct RequestStop {
    std::stop_source stop;
    void operator()() { stop.request_stop(); }
  };
  void wait(const std::stop_token& done, double seconds);

  std::stop_token caller_;
  std::stop_source stop_;
  std::stop_callback<RequestStop> follow_caller_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread clock_;  // last, because it uses the members above
};

}  // namespace thallo
