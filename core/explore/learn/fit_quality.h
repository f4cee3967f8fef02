#pragma once

// How well a cost model predicts measured steps, and schedules that consist of them.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/cost/learned/training_set.h"
#include "core/cost/model/cost_model.h"

namespace thallo {

struct FitQuality {
  std::size_t num_steps = 0, num_schedules = 0;
  double step_error = 0;  // the median of |log(predicted / measured)| of the steps
  // The medians over the problem's instances that have at least LeastRanked schedules; absent
  // without such an instance.
  std::optional<double> rank_correlation;  // Spearman's, between predicted and measured times
  // By how much the schedule that is predicted to be the fastest is slower than the fastest, as a
  // share of its time.
  std::optional<double> first_off_best;
  // The same of the mean of all its schedules, which a random choice has on average.
  std::optional<double> mean_off_best;
};
inline constexpr std::size_t LeastRanked = 8;

// Seconds of steps or schedules.
struct PredictedTimes {
  std::vector<double> predicted, measured;
};
// Of all measured steps of one problem of the set.
PredictedTimes predicted_steps(const CostModel& model, const TrainingSet& set, std::size_t problem);

// Judges by what was measured of one problem of the set.
FitQuality quality_of(const CostModel& model, const TrainingSet& set, std::size_t problem);

}  // namespace thallo
