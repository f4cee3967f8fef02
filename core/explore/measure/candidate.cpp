#include "core/explore/measure/candidate.h"

#include <limits>

namespace thallo {
namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();

std::optional<double> seconds_in(const std::optional<ScheduleResult>& result) {
  if (!result) return {};
  return result->is_ok() ? result->nonlinear_seconds : Infinity;
}

}  // namespace

std::optional<double> iteration_seconds(const Candidate& candidate, MeasureBy measure) {
  if (measure == MeasureBy::Solves) return seconds_in(candidate.end_to_end);
  // Never choose a schedule that fails in a solve.
  if (candidate.end_to_end && !candidate.end_to_end->is_ok()) return Infinity;
  return seconds_in(candidate.composed);
}

double lowest_cost(const Candidate& candidate) {
  const auto& solved = candidate.end_to_end;
  return solved && solved->is_ok() ? lowest_cost(solved->trace) : Infinity;
}

std::optional<double> objective_seconds(const Candidate& candidate, Objective objective,
                                        double lowest) {
  const auto& solved = candidate.end_to_end;
  if (!solved) return {};
  if (!solved->is_ok()) return Infinity;
  return seconds_of(*solved, objective, lowest);
}

}  // namespace thallo
