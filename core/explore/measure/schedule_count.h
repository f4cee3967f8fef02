#pragma once

// Counts the schedules that an exploration has finished, for progress reports. Schedules come in
// lists.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace thallo {

class ScheduleCount {
 public:
  // The following lists have this many schedules together; 0 if unknown.
  void expect(std::int64_t num_schedules) {
    expected_ = num_schedules;
    begun_ = 0;
  }
  // Begins a list, one of the expected ones if any are expected.
  void begin(std::size_t num_schedules) {
    before_ = expected_ > 0 ? begun_ : 0;
    done_ = before_;
    total_ = std::max(expected_, static_cast<std::int64_t>(num_schedules));
    begun_ += static_cast<std::int64_t>(num_schedules);
  }
  // Begins a list that is not among the expected ones.
  void begin_apart(std::size_t num_schedules) {
    before_ = done_ = 0;
    total_ = static_cast<std::int64_t>(num_schedules);
  }
  // Sets how many schedules of the current list are done.
  void set(std::size_t num_done) { done_ = before_ + static_cast<std::int64_t>(num_done); }

  std::int64_t done() const { return done_; }
  std::int64_t total() const { return total_; }

 private:
  std::int64_t expected_ = 0, begun_ = 0, before_ = 0, done_ = 0, total_ = 0;
};

}  // namespace thallo
