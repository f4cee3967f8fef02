#pragma once

// How many schedules an exploration compiles before it measures what they need. Rounds are few schedules
// at first, so that results arrive early, and later as many as take some seconds: so long that workers
// that wait for the last of a round do not count. A budget has rounds enough that little is undone when
// it ends.

#include <chrono>
#include <cstddef>
#include <optional>

namespace thallo {

class RoundSizes {
 public:
  RoundSizes(int num_workers, std::optional<std::chrono::milliseconds> budget);

  std::size_t next() const { return next_; }
  // A round of so many schedules took so long to compile.
  void took(std::size_t num_schedules, std::chrono::duration<double> elapsed);

 private:
  double num_workers_;
  std::chrono::duration<double> wanted_;  // of a round
  std::size_t next_;
};

}  // namespace thallo
