#pragma once

// How far an exploration is with its schedules, which come in lists.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace thallo {

class ScheduleCount {
 public:
  // The next lists have so many together; 0: nobody knows.
  void expect(std::int64_t num_schedules) {
    expected_ = num_schedules;
    begun_ = 0;
  }
  // One of the lists that are expected, if any are.
  void begin(std::size_t num_schedules) {
    before_ = expected_ > 0 ? begun_ : 0;
    done_ = before_;
    total_ = std::max(expected_, static_cast<std::int64_t>(num_schedules));
    begun_ += static_cast<std::int64_t>(num_schedules);
  }
  // Another list.
  void begin_apart(std::size_t num_schedules) {
    before_ = done_ = 0;
    total_ = static_cast<std::int64_t>(num_schedules);
  }
  void add_one() { ++done_; }
  // So many of the list are done.
  void set(std::size_t num_done) { done_ = before_ + static_cast<std::int64_t>(num_done); }

  std::int64_t done() const { return done_; }
  std::int64_t total() const { return total_; }

 private:
  std::int64_t expected_ = 0, begun_ = 0, before_ = 0, done_ = 0, total_ = 0;
};

}  // namespace thallo
