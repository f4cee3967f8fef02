#pragma once

// What an exploration knows about a schedule that it has processed.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/explore/measure/objective.h"
#include "core/explore/store/store_records.h"

namespace thallo {

struct Candidate {
  std::string hash;
  std::string text;
  std::optional<std::string> index;  // "ID:NUMBER", in a space that is numbered
  std::string program;     // equal for schedules that make the same program; empty if it makes none
  std::int64_t bytes = 0;  // all memory that its program needs; 0: it makes none
  std::map<std::string, SchedulePrediction> predictions;  // by model
  std::optional<ScheduleResult> composed, end_to_end;

  std::optional<ScheduleResult>& result(ResultKind kind) {
    return kind == ResultKind::Composed ? composed : end_to_end;
  }
  const std::optional<ScheduleResult>& result(ResultKind kind) const {
    return kind == ResultKind::Composed ? composed : end_to_end;
  }
  // Returns the result that says what became of the schedule: a failed one if there is any. Null if
  // there is no result.
  const ScheduleResult* outcome() const;
  // Returns the seconds of a nonlinear iteration by a model; absent if it did not predict them.
  std::optional<double> predicted(const std::string& model) const;
};
// Returns the seconds of a nonlinear iteration; absent if there are none.
std::optional<double> seconds_of(const std::optional<ScheduleResult>& result);

// Returns the measured seconds of a nonlinear iteration, of this kind. The result is infinite if
// the schedule failed, and absent if it was not measured.
std::optional<double> iteration_seconds(const Candidate& candidate, ResultKind kind);

// Returns the lowest cost that the solves of this schedule reached, or infinity if it was never
// solved.
double lowest_cost(const Candidate& candidate);
// Returns the time of the schedule's solves under the objective, given the lowest cost over all
// schedules. The result is infinite if the schedule failed or never came close enough to that cost,
// and absent if it was not solved.
std::optional<double> objective_seconds(const Candidate& candidate, Objective objective,
                                        double lowest);

}  // namespace thallo
