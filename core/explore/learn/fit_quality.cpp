#include "core/explore/learn/fit_quality.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/explore/measure/statistics.h"
#include "core/kernel/frequency.h"

namespace thallo {
namespace {

double predicted_seconds(const CostModel& model, const TrainingSet& set,
                         const MeasuredSchedule& schedule) {
  IterationTime time(set.device);
  for (const MeasuredUse& use : schedule.uses) {
    const MeasuredStep& step = set.steps[use.step];
    ProgramWork program = step.program;
    program.loop_bytes = schedule.loop_bytes;
    const double seconds = model.seconds(step.work, program, set.device);
    if (frequency_of(step.work.phase) == Frequency::NonlinearIteration) {
      for (int run = 0; run < std::lround(use.runs); ++run) time.add_once(seconds);
    } else {
      time.add_linear(seconds, use.runs);
    }
  }
  return time.nonlinear_iteration(schedule.linear_iterations);
}

double first_off_best(const PredictedTimes& times) {
  const auto first = std::ranges::min_element(times.predicted) - times.predicted.begin();
  return times.measured[static_cast<std::size_t>(first)] / std::ranges::min(times.measured) - 1;
}

double mean_off_best(const PredictedTimes& times) {
  const double sum = std::reduce(times.measured.begin(), times.measured.end());
  return sum / static_cast<double>(times.measured.size()) / std::ranges::min(times.measured) - 1;
}

std::optional<double> median_or_nothing(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(median(values));
}

// For each instance of the problem that has measured schedules.
std::vector<PredictedTimes> predicted_schedules(const CostModel& model, const TrainingSet& set,
                                                std::size_t problem) {
  std::map<std::size_t, PredictedTimes> by_instance;
  for (const MeasuredSchedule& schedule : set.schedules) {
    if (set.instances[schedule.instance].problem != problem) continue;
    PredictedTimes& times = by_instance[schedule.instance];
    times.predicted.push_back(predicted_seconds(model, set, schedule));
    times.measured.push_back(schedule.seconds);
  }
  std::vector<PredictedTimes> all;
  for (auto& [instance, times] : by_instance) all.push_back(std::move(times));
  return all;
}

}  // namespace

PredictedTimes predicted_steps(const CostModel& model, const TrainingSet& set,
                               std::size_t problem) {
  PredictedTimes times;
  for (const MeasuredStep& step : set.steps) {
    if (step.problem != problem) continue;
    times.predicted.push_back(model.seconds(step.work, step.program, set.device));
    times.measured.push_back(step.seconds);
  }
  return times;
}

FitQuality quality_of(const CostModel& model, const TrainingSet& set, std::size_t problem) {
  FitQuality quality;
  std::vector<double> errors;
  const PredictedTimes steps = predicted_steps(model, set, problem);
  for (std::size_t i = 0; i < steps.measured.size(); ++i)
    errors.push_back(std::abs(std::log(steps.predicted[i] / steps.measured[i])));
  quality.num_steps = errors.size();
  if (!errors.empty()) quality.step_error = median(errors);
  std::vector<double> correlations, firsts, means;
  for (const PredictedTimes& times : predicted_schedules(model, set, problem)) {
    quality.num_schedules += times.measured.size();
    if (times.measured.size() < LeastRanked) continue;
    if (const auto rho = spearman_rho(times.predicted, times.measured))
      correlations.push_back(*rho);
    firsts.push_back(first_off_best(times));
    means.push_back(mean_off_best(times));
  }
  quality.rank_correlation = median_or_nothing(correlations);
  quality.first_off_best = median_or_nothing(firsts);
  quality.mean_off_best = median_or_nothing(means);
  return quality;
}

}  // namespace thallo
