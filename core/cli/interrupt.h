// What Ctrl-C (SIGINT) and SIGTERM do. By themselves they end the process, but not before the
// compilers that it runs, and their temporary folders, are gone. While an InterruptWatch lives, the
// first of them is a wish to end in order: what is finished is kept. A second one ends the process,
// and so do two seconds that pass while there is nothing to keep.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace thallo::cli {

// To be called once, before any thread is started.
void handle_interrupts();
// The signal by which a watch was told to end; 0: none was.
int interrupting_signal();

class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  // From now on something is finished that is worth waiting for.
  void keep() { keeps_ = true; }

  // Set from a signal handler, while a watch lives.
  const std::atomic<bool>& is_interrupted() const;
  // A stop is requested by a thread of the watch, soon after the signal.
  std::stop_token stop() const { return stop_.get_token(); }

 private:
  void wait();

  std::stop_source stop_;
  std::atomic<bool> keeps_ = false;
  std::jthread waiting_;  // last: it uses what is above
};

}  // namespace thallo::cli
