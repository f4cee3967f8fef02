#include "core/explore/learn/fit_quality.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/explore/measure/statistics.h"
#include "core/kernel/frequency.h"

namespace thallo {
namespace {

// Predicted and measured seconds of schedules.
struct Times {
  std::vector<double> predicted, measured;
};

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

double off_best(const Times& times) {
  const auto first = std::ranges::min_element(times.predicted) - times.predicted.begin();
  const double best = *std::ranges::min_element(times.measured);
  return times.measured[static_cast<std::size_t>(first)] / best - 1;
}

std::optional<double> median_or_nothing(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(median(values));
}

}  // namespace

FitQuality quality_of(const CostModel& model, const TrainingSet& set, std::size_t problem) {
  FitQuality quality;
  std::vector<double> errors;
  for (const MeasuredStep& step : set.steps) {
    if (step.problem != problem) continue;
    const double predicted = model.seconds(step.work, step.program, set.device);
    errors.push_back(std::abs(std::log(predicted / step.seconds)));
  }
  quality.num_steps = errors.size();
  if (!errors.empty()) quality.step_error = median(errors);
  std::map<std::size_t, Times> by_instance;
  for (const MeasuredSchedule& schedule : set.schedules) {
    if (set.instances[schedule.instance].problem != problem) continue;
    Times& times = by_instance[schedule.instance];
    times.predicted.push_back(predicted_seconds(model, set, schedule));
    times.measured.push_back(schedule.seconds);
    ++quality.num_schedules;
  }
  std::vector<double> correlations, offs;
  for (const auto& [instance, times] : by_instance) {
    if (times.measured.size() < LeastRanked) continue;
    if (const auto rho = spearman_rho(times.predicted, times.measured))
      correlations.push_back(*rho);
    offs.push_back(off_best(times));
  }
  quality.rank_correlation = median_or_nothing(correlations);
  quality.first_off_best = median_or_nothing(offs);
  return quality;
}

}  // namespace thallo
