#pragma once

// What an exploration knows of a schedule that it has looked at.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/explore/objective.h"
#include "core/explore/store_records.h"

namespace thallo {

// Composed of the times of its steps, end to end by whole solves, or only predicted.
enum class MeasureBy { Nothing, Steps, Solves };

struct Candidate {
  std::string hash;
  std::string text;
  std::optional<std::string> index;  // "ID:NUMBER", in a space that is numbered
  std::string program;     // equal for schedules that make the same program; empty if it makes none
  std::int64_t bytes = 0;  // all memory that its program needs; 0: it makes none
  std::map<std::string, SchedulePrediction> predictions;  // by model
  std::optional<ScheduleResult> composed, end_to_end;
};

// Seconds of a nonlinear iteration, as they were measured; those that `model` predicts where
// nothing is. Infinite when the schedule failed, absent when nothing is known.
std::optional<double> iteration_seconds(const Candidate& candidate, MeasureBy measure,
                                        const std::string& model);

// The lowest cost that its solves have reached; infinite when it was not run.
double lowest_cost(const Candidate& candidate);
// Seconds of its solves by the objective, given the lowest cost of all. Infinite when it failed or
// has not come that far, absent when it was not run.
std::optional<double> objective_seconds(const Candidate& candidate, Objective objective,
                                        double lowest);

}  // namespace thallo
