#pragma once

// How many schedules an exploration compiles before it measures what they need. The first rounds
// are few schedules, so that results arrive early; later ones as many as take some seconds, against
// which the time is small that workers have nothing to do while the last schedule of a round
// compiles. A budget is cut into rounds that are short enough for little to be undone when it ends.

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
