#include "core/explore/measure/step_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/explore/measure/statistics.h"
#include "core/kernel/frequency.h"

namespace thallo {

void StepTable::add(const StepSamples& samples) {
  Times& times = times_[samples.slot.key];
  if (!samples.is_ok()) {
    times.reason = samples.reason;
    return;
  }
  (samples.slot.cache == CacheState::Hot ? times.hot : times.evicted) = median(samples.seconds);
}

bool StepTable::knows(const std::string& key) const {
  const auto found = times_.find(key);
  if (found == times_.end()) return false;
  const Times& times = found->second;
  return (times.hot && times.evicted) || !times.reason.empty();
}

double StepTable::runs(Phase phase) const {
  switch (frequency_of(phase)) {
    case Frequency::Solve: return 0;
    case Frequency::NonlinearIteration: return 1;
    case Frequency::LinearIteration: return counts_.linear_iterations;
    case Frequency::ResidualReset:
      return counts_.reset_period > 0 ? counts_.linear_iterations / counts_.reset_period : 0;
  }
  THALLO_UNREACHABLE();
}

ScheduleResult StepTable::compose(const PreparedSchedule& prepared) const {
  IterationTime time(device_);
  const double evicted = evicted_share(prepared.loop_bytes, device_);
  for (const PreparedStep& step : prepared.steps) {
    const double num_runs = runs(step.phase);
    if (num_runs == 0) continue;
    const auto found = times_.find(step.key);
    if (found == times_.end() || !knows(step.key)) {
      return {.status = ResultStatus::NotRun,
              .reason = fmt::format("{}: its worker did not time it", step.label)};
    }
    const Times& times = found->second;
    if (!(times.hot && times.evicted)) {
      return {.status = ResultStatus::NotRun,
              .reason = fmt::format("{}: {}", step.label, times.reason)};
    }
    const double seconds = *times.hot * (1 - evicted) + *times.evicted * evicted;
    if (frequency_of(step.phase) == Frequency::NonlinearIteration) {
      time.add_once(seconds);
    } else {
      time.add_linear(seconds, num_runs);
    }
  }
  const double nonlinear = time.nonlinear_iteration(counts_.linear_iterations);
  return {.nonlinear_seconds = nonlinear,
          .linear_seconds = time.linear_iteration(counts_.linear_iterations),
          .linear_iterations = counts_.linear_iterations,
          .samples = {nonlinear}};
}

std::string program_of(const PreparedSchedule& prepared) {
  std::vector<std::string> lines;
  for (const PreparedStep& step : prepared.steps)
    lines.push_back(fmt::format("{} {}\n", to_string(step.phase), step.key));
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += line;
  return hash_text(text).hex();
}

std::vector<ResultSlot> slots_of(const StepSlot& slot) {
  std::vector<ResultSlot> slots;
  for (const CacheState cache : {CacheState::Hot, CacheState::Evicted})
    slots.emplace_back(StepSlot{slot.problem, slot.device, slot.key, cache});
  return slots;
}

std::vector<StepSamples> samples_of(const TimedStep& step, const StepSlot& slot,
                                    const Origin& origin) {
  std::vector<StepSamples> samples;
  for (const CacheState cache : {CacheState::Hot, CacheState::Evicted}) {
    samples.push_back({.slot = {slot.problem, slot.device, step.key, cache},
                       .seconds = cache == CacheState::Hot ? step.hot : step.evicted,
                       .reason = step.fault,
                       .origin = origin});
    samples.back().origin.uuid = step.uuid;
  }
  return samples;
}

}  // namespace thallo
