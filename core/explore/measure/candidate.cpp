#include "core/explore/measure/candidate.h"

#include <limits>

namespace thallo {
namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();

// Infinite if it failed.
std::optional<double> seconds_in(const std::optional<ScheduleResult>& result) {
  if (!result) return {};
  return result->is_ok() ? result->nonlinear_seconds : Infinity;
}

}  // namespace

const ScheduleResult* Candidate::outcome() const {
  const ScheduleResult* outcome = nullptr;
  for (const auto* result : {&composed, &end_to_end})
    if (*result && (outcome == nullptr || !(*result)->is_ok())) outcome = &**result;
  return outcome;
}

std::optional<double> Candidate::predicted(const std::string& model) const {
  const auto its = predictions.find(model);
  if (its == predictions.end()) return {};
  return its->second.nonlinear_seconds;
}

std::optional<double> seconds_of(const std::optional<ScheduleResult>& result) {
  if (!result || !result->is_ok()) return {};
  return result->nonlinear_seconds;
}

std::optional<double> iteration_seconds(const Candidate& candidate, ResultKind kind) {
  if (kind == ResultKind::EndToEnd) return seconds_in(candidate.end_to_end);
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
