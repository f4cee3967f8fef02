#pragma once

// Decides how many schedules an exploration compiles before it measures their steps. The first
// rounds are small, so that results arrive early. Later rounds last some seconds, so that the idle
// time of workers at the end of a round (while its last schedule compiles) is small in comparison.
// If there is a time budget, rounds are short enough that little is left undone when it runs out.

#include <chrono>
#include <cstddef>
#include <optional>

namespace thallo {

class RoundSizes {
 public:
  RoundSizes(std::size_t num_workers, std::optional<std::chrono::milliseconds> budget);

  std::size_t next() const { return next_; }
  // Records that compiling a round of this size took this long.
  void took(std::size_t num_schedules, std::chrono::duration<double> elapsed);

 private:
  double num_workers_;
  std::chrono::duration<double> wanted_;  // desired duration of a round
  std::size_t next_;
};

}  // namespace thallo
