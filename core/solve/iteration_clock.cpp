#include "core/solve/iteration_clock.h"

#include "core/base/error.h"

namespace thallo {

double IterationClock::seconds() const {
  if (!start_) return before_;
  return before_ + std::chrono::duration<double>(Clock::now() - *start_).count();
}

StopScope::Clock::time_point IterationClock::deadline(double limit) const {
  constexpr double Years = 1e9;
  if (!(limit > 0) || limit > Years) return StopScope::Never;
  const std::chrono::duration<double> left(limit - seconds());
  return Clock::now() + std::chrono::ceil<Clock::duration>(left);
}

void IterationClock::pause() {
  before_ = seconds();
  start_.reset();
}

void IterationClock::collect(const Executable& executable) {
  for (const PhaseTiming& timing : executable.timing()) {
    PhaseTiming& seen = seen_[static_cast<std::size_t>(timing.phase)];
    add({timing.phase, timing.launches - seen.launches, timing.seconds - seen.seconds});
    seen = timing;
  }
}

void IterationClock::add(const PhaseTiming& taken) {
  switch (taken.phase) {
    case Phase::Setup:
    case Phase::Values:
    case Phase::Linearize:
    case Phase::SaveScale:
      totals_.linearize += taken.seconds;
      current_.linearize += taken.seconds;
      current_.has_linearized = current_.has_linearized || taken.launches > 0;
      return;
    case Phase::Damp:
    case Phase::Direction:
    case Phase::Apply:
    case Phase::Update:
    case Phase::ResetDirection:
    case Phase::ResetApply:
    case Phase::ResetUpdate:
    case Phase::DirectSolve:
      totals_.linear += taken.seconds;
      current_.linear += taken.seconds;
      return;
    case Phase::TrialValues:
    case Phase::GroupSums:
    case Phase::Keep:
    case Phase::GoBack:
    case Phase::Cost:
    case Phase::TrialCost:
      totals_.cost += taken.seconds;
      current_.resolve += taken.seconds;
      return;
    case Phase::Retract:
      totals_.update += taken.seconds;
      current_.resolve += taken.seconds;
      return;
    case Phase::Accept:
      totals_.update += taken.seconds;
      if (!iterations_.empty()) iterations_.back().resolve += taken.seconds;
      return;
  }
  THALLO_UNREACHABLE();
}

void IterationClock::end_iteration(double seconds) {
  current_.wall = seconds;
  iterations_.push_back(current_);
  current_ = {};
}

SolverSeconds IterationClock::totals() const {
  SolverSeconds totals = totals_;
  totals.total = seconds();
  return totals;
}

SolverTimes IterationClock::times() const {
  std::vector<double> wall, linearize, linear, resolve;
  for (const Iteration& iteration : iterations_) {
    wall.push_back(iteration.wall);
    if (iteration.has_linearized) linearize.push_back(iteration.linearize);
    linear.push_back(iteration.linear);
    resolve.push_back(iteration.resolve);
  }
  return {.total = SecondsSpread::of(std::vector{seconds()}),
          .iteration = SecondsSpread::of(wall),
          .linearize = SecondsSpread::of(linearize),
          .linear = SecondsSpread::of(linear),
          .resolve = SecondsSpread::of(resolve)};
}

}  // namespace thallo
