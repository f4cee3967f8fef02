#include "core/solve/iteration_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/solve/start_state.h"
#include "core/solve/start_summary.h"

namespace thallo {
namespace {

constexpr int LoopIterations = 100;

// Of one nonlinear iteration, in their order. A program has steps for some of them.
constexpr std::array IterationPhases = {
    Phase::Linearize,   Phase::Damp,           Phase::Direction,   Phase::Apply,
    Phase::Update,      Phase::ResetDirection, Phase::ResetApply,  Phase::ResetUpdate,
    Phase::DirectSolve, Phase::Retract,        Phase::TrialValues, Phase::TrialCost,
    Phase::Accept};

void run(Executable& executable, std::initializer_list<Phase> phases) {
  for (const Phase phase : phases) executable.run(phase);
}

// Runs one linear iteration after Damp. False when there is none to run.
bool run_linear_iteration(Executable& executable) {
  if (at(executable.read_state(), StateSlot::Stop) != 0) return false;
  run(executable, {Phase::Direction, Phase::Apply, Phase::Update});
  if (at(executable.read_state(), StateSlot::Resetting) != 0) {
    run(executable, {Phase::ResetDirection, Phase::ResetApply, Phase::ResetUpdate});
  }
  return true;
}

double total_seconds(const Executable& executable) {
  double seconds = 0;
  for (const PhaseTiming& timing : executable.timing()) seconds += timing.seconds;
  return seconds;
}

// How often a linear iteration runs the steps of a phase.
double runs_per_linear_iteration(Phase phase, int reset_period) {
  if (is_reset(phase)) return reset_period > 0 ? 1.0 / reset_period : 0;
  const bool is_linear =
      phase == Phase::Direction || phase == Phase::Apply || phase == Phase::Update;
  return is_linear ? 1 : 0;
}

}  // namespace

Expected<void> enter_linear_iteration(Executable& executable, const SolverOptions& options) {
  SolverState state = start_state(options);
  at(state, StateSlot::MaxLinearIterations) = std::numeric_limits<int>::max();
  at(state, StateSlot::QTolerance) = at(state, StateSlot::ResidualTolerance) = 0;
  executable.write_state(state);
  run(executable, {Phase::Setup, Phase::Values, Phase::Cost, Phase::Linearize});
  if (options.solver == SolverKind::LevenbergMarquardt) executable.run(Phase::SaveScale);
  executable.run(Phase::Damp);
  const bool direct = executable.program().solves_directly();
  const double cost = at(executable.read_state(), StateSlot::Cost);
  if (!std::isfinite(cost)) {
    return fail("the cost of '{}' at the start is {}", executable.program().name, cost);
  }
  if (direct) {
    executable.run(Phase::DirectSolve);
  } else if (!run_linear_iteration(executable)) {
    return fail("the gradient of '{}' is zero at the start: there is no linear iteration to run",
                executable.program().name);
  }
  run(executable, {Phase::Retract, Phase::TrialValues, Phase::TrialCost});
  if (direct) return {};
  if (at(executable.read_state(), StateSlot::Stop) != 0) executable.run(Phase::Damp);
  run(executable, {Phase::Direction, Phase::Apply});
  const double curvature = at(executable.read_state(), StateSlot::PAp);
  if (std::isfinite(curvature) && curvature > 0) return {};
  return fail("p.JtJ p of '{}' is {} in the first linear iteration", executable.program().name,
              curvature);
}

Expected<LoopTiming> time_linear_loop(Executable& executable, const SolverOptions& options,
                                      int max_iterations, int num_samples) {
  LoopTiming loop{.num_iterations = max_iterations};
  SolverState state = executable.read_state();
  while (static_cast<int>(loop.seconds.size()) < num_samples) {
    at(state, StateSlot::MaxLinearIterations) = loop.num_iterations;
    executable.write_state(state);
    executable.run(Phase::Damp);
    const double before = total_seconds(executable);
    executable.run_linear_loop({.max_iterations = loop.num_iterations,
                                .reset_period = reset_period(options, traits_of(executable))});
    const int num_done = static_cast<int>(at(executable.read_state(), StateSlot::LinearIteration));
    if (num_done == loop.num_iterations) {
      loop.seconds.push_back((total_seconds(executable) - before) / num_done);
    } else if (num_done > 0) {
      loop = {.num_iterations = num_done};
    } else {
      return fail("the linear loop of '{}' runs no iteration", executable.program().name);
    }
  }
  return loop;
}

double IterationProfile::linear_iteration_seconds(CacheUse caches) const {
  double seconds = 0;
  for (const StepTiming& timing : steps) {
    const double runs = runs_per_linear_iteration(timing.step.phase, reset_period);
    if (runs == 0 || !timing.step.is_launched) continue;
    seconds += runs * median(caches == CacheUse::Hot ? timing.hot : timing.evicted);
  }
  return seconds;
}

double IterationProfile::loop_seconds() const {
  return loop ? median(loop->seconds) : std::numeric_limits<double>::quiet_NaN();
}

Expected<IterationProfile> profile_iteration(Executable& executable, const SolverOptions& options,
                                             const StepTimingOptions& timing) {
  THALLO_CHECK(enter_linear_iteration(executable, options));
  IterationProfile profile;
  profile.reset_period = reset_period(options, traits_of(executable));
  for (const Phase phase : IterationPhases) {
    if (is_reset(phase) && profile.reset_period == 0) continue;
    auto steps = time_steps(executable, phase, timing);
    if (!steps) return fail(steps.error());
    std::ranges::move(*steps, std::back_inserter(profile.steps));
  }
  if (!executable.program().solves_directly()) {
    auto loop = time_linear_loop(executable, options, LoopIterations, timing.num_batches);
    if (!loop) return fail(loop.error());
    profile.loop = *std::move(loop);
  }
  return profile;
}

}  // namespace thallo
