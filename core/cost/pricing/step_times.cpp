#include "core/cost/pricing/step_times.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/quantity_text.h"

namespace thallo {
namespace {

std::string count_text(double count) {
  return count < 1000 ? fmt::format("{:.4g}", count) : quantity_text(count, "");
}

// True if the largest number of points that a map sends to a thread decides how long it takes.
bool has_long_sums(const StepWork& step) { return !step.features.visits.empty(); }

bool jumps(const StepWork& step) {
  return std::ranges::any_of(step.features.accesses, [](const Access& access) {
    return access.motion == Motion::Jumps && access.kind == Access::Kind::Read;
  });
}

// True for the phases of JtJp. A stored JtJ does not help others: their steps may store it.
bool multiplies(Phase phase) { return phase == Phase::Apply || phase == Phase::ResetApply; }

std::string remedy_for_memory(const StepWork& step, const ProgramWork& work,
                              const DeviceSpec& device) {
  const std::string moved = quantity_text(step.features.must_move(), "B");
  if (evicted_share(work.loop_bytes, device) < 0.5) {
    return fmt::format("store less, or in fewer bytes (strategy, storage, precision): it moves {}",
                       moved);
  }
  return fmt::format(
      "store less, or in fewer bytes (strategy, storage, precision): it moves {}, and the {} of a "
      "linear iteration do not fit the {} cache",
      moved, quantity_text(work.loop_bytes, "B"), quantity_text(device.cache, "B"));
}

std::string remedy_for_arithmetic(const StepWork& step) {
  const Flops& flops = step.features.flops;
  const std::string computed =
      flops.transcendentals > 0
          ? fmt::format("{} and {} calls of functions", quantity_text(flops.total(), "flop"),
                        count_text(flops.transcendentals))
          : quantity_text(flops.total(), "flop");
  if (step.kind != StepWork::Kind::Kernel)
    return fmt::format("a strategy that stores less of a product: it computes {}", computed);
  return fmt::format(
      "store what is computed again and again (materialize, strategy): it computes {}", computed);
}

// True if most of its latency would not be there without the sums over all threads.
bool waits_for_sum(const StepWork& step, const ProgramWork& work, const PriceScope& scope) {
  if (!step.reduces) return false;
  StepWork without = step;
  without.reduces = false;
  const auto latency_of = [&](const StepWork& its) {
    return scope.model.parts(its, work, scope.device)[Wait::Latency];
  };
  return latency_of(without) < 0.5 * latency_of(step);
}

}  // namespace

std::string remedy(Wait wait, const StepWork& step, const ProgramWork& work,
                   const PriceScope& scope) {
  switch (wait) {
    case Wait::Launch: return "start fewer steps: merge parts (split_merge), store less";
    case Wait::Memory: return remedy_for_memory(step, work, scope.device);
    case Wait::Cache:
      return jumps(step) ? "let neighbors read what lies side by side (reorder, layout): it gathers"
                         : "let threads read and write less often (strategy, layout)";
    case Wait::Atomics:
      return fmt::format(
          "gather instead of scatter (compute_at_output){}: it adds {} times to memory",
          multiplies(step.phase) ? ", or store the product (strategy [JtJ]p)" : "",
          count_text(step.features.atomics));
    case Wait::Arithmetic: return remedy_for_arithmetic(step);
    case Wait::Latency:
      if (waits_for_sum(step, work, scope))
        return "sum in fewer steps (split_merge), or solve more at once: it waits for a sum over "
               "all threads, however few there are";
      if (has_long_sums(step))
        return "let more threads share the points that are summed up (scatter, or sum_parallelize)";
      return fmt::format(
          "load less before something is computed (strategy, materialize): it loads "
          "{} scalars",
          count_text(step.features.loads));
    case Wait::Unknown: return "the cost model does not say what it waits for";
  }
  return "";
}

std::vector<StepTime> step_times(const ProgramWork& work, const PriceScope& scope) {
  std::vector<StepTime> times;
  for (const StepWork& step : work.steps) {
    const double runs = scope.counts.runs_of(step.phase);
    if (!(runs > 0)) continue;
    auto its = std::ranges::find_if(times, [&step](const StepTime& time) {
      return time.phase == step.phase && time.step == step.label;
    });
    const TimeParts parts = scope.model.parts(step, work, scope.device);
    if (its == times.end()) {
      its = times.insert(times.end(), {.step = step.label,
                                       .phase = step.phase,
                                       .runs = runs,
                                       .remedy = remedy(parts.longest(), step, work, scope)});
    }
    its->parts.add(parts);
  }
  return times;
}

}  // namespace thallo
