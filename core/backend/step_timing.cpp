#include "core/backend/step_timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <variant>

#include <fmt/format.h>

#include "core/kernel/solver_vector.h"

namespace thallo {
namespace {

// Returns the state at the point, modified so that steps of the phase do run and can be repeated.
SolverState repeatable(SolverState state, Phase phase) {
  at(state, StateSlot::Beta) = std::min(at(state, StateSlot::Beta), 0.5);
  at(state, StateSlot::QTolerance) = 0;
  at(state, StateSlot::ResidualTolerance) = 0;
  at(state, StateSlot::MaxLinearIterations) = std::numeric_limits<int>::max();
  if (is_reset(phase)) at(state, StateSlot::Resetting) = 1;
  return state;
}

// Times the steps of one phase. A step that has a fault gets no samples.
class StepTimer {
 public:
  StepTimer(Executable& executable, StepBench& bench, Phase phase, const StepTimingOptions& options)
      : executable_(executable),
        bench_(bench),
        phase_(phase),
        options_(options),
        start_(repeatable(executable.read_state(), phase)) {}

  Expected<StepTiming> time(std::size_t step, StepInfo info) {
    StepTiming timing{.step = std::move(info)};
    if (!timing.step.is_launched || (options_.wants && !options_.wants(step))) return timing;
    const StepMemory memory = memory_of(executable_.generated(), step_at(step));
    THALLO_CHECK(bench_.keep(memory));
    timing.fault = add_samples(step, memory, CacheUse::Hot, timing.hot);
    if (timing.fault.empty())
      timing.fault = add_samples(step, memory, CacheUse::Evicted, timing.evicted);
    if (!timing.fault.empty()) {
      timing.hot.clear();
      timing.evicted.clear();
    }
    return timing;
  }

 private:
  const Step& step_at(std::size_t step) const { return executable_.program().steps(phase_)[step]; }

  bool has_epilogue(std::size_t step) const {
    const auto* launch = std::get_if<LaunchKernel>(&step_at(step));
    return launch != nullptr && executable_.generated().codes[launch->kernel].has_epilogue;
  }

  // Returns the fault, empty when there is none.
  std::string add_samples(std::size_t step, const StepMemory& memory, CacheUse caches,
                          std::vector<double>& samples) {
    const StepTrial trial{.phase = phase_,
                          .step = step,
                          .memory = memory,
                          .caches = caches,
                          .start = start_,
                          .restores_state = has_epilogue(step)};
    // Noise can hide a very short step; longer batches have less of it.
    for (int scale = 1; scale <= 16 && !(median(samples) > 0); scale *= 4) {
      samples.clear();
      if (std::string fault = run_batches(trial, scale * options_.batch_seconds, samples);
          !fault.empty())
        return fault;
    }
    if (!(median(samples) > 0)) return "it takes less time than can be measured";
    return fault_of_vectors(memory);
  }

  // Returns the fault, empty when there is none.
  std::string run_batches(const StepTrial& trial, double batch_seconds,
                          std::vector<double>& samples) {
    if (const auto ready = bench_.prepare(trial, batch_seconds); !ready) return ready.error().what;
    const auto start = std::chrono::steady_clock::now();
    const auto is_long = [&] {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      return elapsed.count() > options_.most_seconds;
    };
    for (int batch = 0; batch < options_.num_batches; ++batch) {
      if (batch >= options_.least_batches && is_long()) break;
      // A batch is timed as the difference of two batches, which noise can make negative.
      samples.push_back(std::max(0.0, bench_.time_batch()));
      if (std::string fault = fault_of_state(); !fault.empty()) return fault;
    }
    return {};
  }

  std::string fault_of_state() {
    const SolverState state = executable_.read_state();
    for (std::size_t slot = 0; slot < state.size(); ++slot) {
      if (std::isnan(state[slot])) return fmt::format("state.{} is NaN", StateSlotNames[slot]);
    }
    return at(state, StateSlot::Stop) == 0 ? "" : "state.Stop is raised";
  }

  // Checks the solver vectors that the step changes, as the last batch left them.
  std::string fault_of_vectors(const StepMemory& memory) {
    const KernelProgram& program = executable_.program();
    for (const std::size_t changed : memory.changed) {
      if (changed < program.unknowns.size()) continue;
      const std::size_t b = changed - program.unknowns.size();
      if (program.buffers[b].kind != BufferKind::Vector) continue;
      const std::vector<double> values = executable_.read_buffer(b);
      if (std::ranges::any_of(values, [](double value) { return std::isnan(value); }))
        return fmt::format("{} has NaN", program.buffers[b].name);
    }
    return {};
  }

  Executable& executable_;
  StepBench& bench_;
  Phase phase_;
  const StepTimingOptions& options_;
  SolverState start_;
};

}  // namespace

Expected<std::vector<StepTiming>> time_steps(Executable& executable, Phase phase,
                                             const StepTimingOptions& options) {
  executable.synchronize();
  THALLO_TRY(auto bench, executable.make_step_bench());
  StepTimer timer(executable, *bench, phase, options);
  std::vector<StepTiming> timings;
  for (StepInfo& info : executable.steps(phase)) {
    auto timed = timer.time(timings.size(), std::move(info));
    if (!timed) {
      bench->restore();
      return fail(timed.error());
    }
    timings.push_back(*std::move(timed));
    const StepTiming& timing = timings.back();
    if (options.timed && (!timing.hot.empty() || !timing.fault.empty()))
      options.timed(timings.size() - 1, timing);
  }
  bench->restore();
  executable.synchronize();
  return timings;
}

bool is_reset(Phase phase) {
  return phase == Phase::ResetDirection || phase == Phase::ResetApply ||
         phase == Phase::ResetUpdate;
}

double median(std::vector<double> samples) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(samples);
  const std::size_t middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : 0.5 * (samples[middle - 1] + samples[middle]);
}

}  // namespace thallo
