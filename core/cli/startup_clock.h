// Measures where the time goes between the start of the process and the first iteration of a solve.
// A phase is named when it has ended:
//
//   StartupClock clock;      // first thing in main(); phase "process" is what came before
//   load_plugins(...);
//   clock.mark("plugins");
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace thallo::cli {

class StartupClock {
 public:
  struct Phase {
    std::string name;
    double seconds = 0;
  };

  StartupClock();

  // Assigns the time since the last mark to this phase. If a phase is marked several times, its
  // times are added.
  void mark(std::string_view phase);
  const std::vector<Phase>& phases() const { return phases_; }
  // Returns the seconds of all phases except one.
  double total_without(std::string_view excepted) const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::vector<Phase> phases_;
};

}  // namespace thallo::cli
