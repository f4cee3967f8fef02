// Measures where the time of a solve goes. The wall clock runs only while the solve works, so that
// what a caller does between steps is not counted. The parts of an iteration are read from the
// executable's clocks at points where the host has waited for the device anyway; reading them there
// waits for nothing more.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/stop_scope.h"
#include "core/solve/summary.h"

namespace thallo {

class IterationClock {
 public:
  // Runs the wall clock as long as it lives.
  class Running {
   public:
    explicit Running(IterationClock& clock) : clock_(clock) { clock_.resume(); }
    ~Running() { clock_.pause(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    IterationClock& clock_;
  };

  // Returns the seconds for which the wall clock has run.
  double seconds() const;
  // Returns when these will be more than `limit`, if the wall clock runs on; never if that is 0.
  StopScope::Clock::time_point deadline(double limit) const;

  // Adds what the executable's clocks have counted since the last call to the current iteration. An
  // acceptance counts to the iteration before, since it is enqueued after the last time that the
  // host waits in its iteration.
  void collect(const Executable& executable);
  // Must be called after the executable was bound, which sets its clocks to zero.
  void forget_clocks() { seen_ = {}; }
  // Drops what was collected for the current iteration. The time still counts in totals().
  void leave_iteration() { current_ = {}; }
  // Keeps the current iteration, which took `seconds` by the wall clock.
  void end_iteration(double seconds);

  // Return the results of everything so far.
  SolverSeconds totals() const;
  SolverTimes times() const;

 private:
  using Clock = std::chrono::steady_clock;
  // The seconds of one iteration.
  struct Iteration {
    double wall = 0;
    double linearize = 0;
    double linear = 0;
    double resolve = 0;
    bool has_linearized = false;
  };

  void resume() { start_ = Clock::now(); }
  void pause();
  void add(const PhaseTiming& taken);

  double before_ = 0;                          // seconds until the last pause
  std::optional<Clock::time_point> start_;     // absent while the wall clock is paused
  std::array<PhaseTiming, NumPhases> seen_{};  // the executable's clocks at the last collect()
  SolverSeconds totals_;
  Iteration current_;
  std::vector<Iteration> iterations_;
};

}  // namespace thallo
