// The longest time that the thread has worked from one turn of the event loop to the next. Time
// that others take the processor is none of its own: what it uses itself is counted.
#pragma once

#include <ctime>

#include <algorithm>

#include <QTimer>

namespace thallo::test {

class Watchdog {
 public:
  Watchdog() {
    QObject::connect(&timer_, &QTimer::timeout, [this] { look(); });
    timer_.start(0);
  }
  double longest_ms() const { return longest_; }
  // What was done since the last turn is none of the app's.
  void excuse() { last_ = 0; }

 private:
  static double used_ms() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e6;
  }
  void look() {
    const double now = used_ms();
    if (last_ > 0) longest_ = std::max(longest_, now - last_);
    last_ = now;
  }

  QTimer timer_;
  double last_ = 0, longest_ = 0;
};

}  // namespace thallo::test
