// Handles Ctrl-C (SIGINT) and SIGTERM. By default they end the process, but only after its
// compilers have ended and their temporary folders are removed. While an InterruptWatch lives, the
// first signal is a request to end in an orderly way, keeping finished results. A second signal
// ends the process; so does the first one after 0.7 s, as long as there is nothing to keep.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace thallo::cli {

// Must be called once, before any thread is started. A process that is quiet says nothing when a
// signal ends it, as a worker that its exploration ends before it serves.
void handle_interrupts(bool is_quiet);
// Returns the signal that told a watch to end, or 0.
int interrupting_signal();

class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  // Declares that there are finished results now, which are worth waiting for.
  void keep() { keeps_ = true; }

  // A flag that a signal handler sets while a watch lives.
  const std::atomic<bool>& is_interrupted() const;
  // A thread of the watch requests this stop soon after the signal.
  std::stop_token stop() const { return stop_.get_token(); }

 private:
  void wait();

  std::stop_source stop_;
  std::atomic<bool> keeps_ = false;
  std::jthread waiting_;  // last, because it uses the members above
};

}  // namespace thallo::cli
