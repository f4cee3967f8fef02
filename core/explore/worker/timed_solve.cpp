#include "core/explore/worker/timed_solve.h"

#include <algorithm>

#include "core/kernel/frequency.h"

namespace thallo {
namespace {

SolverOptions without_tests(SolverOptions options) {
  // If this option is unset, Levenberg-Marquardt uses a test of its own.
  if (options.solver == SolverKind::LevenbergMarquardt)
    options.function_tolerance = 0;
  else
    options.function_tolerance.reset();
  // As many trial points under every schedule.
  options.max_step_halvings = 0;
  options.max_step_lengthening = 1;
  options.gradient_tolerance = 0;
  options.parameter_tolerance = 0;
  options.q_tolerance = 0;
  options.residual_tolerance = 0;
  options.max_solver_time_in_seconds = 0;
  return options;
}

// Returns the seconds spent in the phases of linear iterations since bind().
double loop_seconds(const Executable& executable) {
  double seconds = 0;
  for (const PhaseTiming& timing : executable.timing()) {
    const Frequency frequency = frequency_of(timing.phase);
    if (frequency == Frequency::LinearIteration || frequency == Frequency::ResidualReset)
      seconds += timing.seconds;
  }
  return seconds;
}

}  // namespace

Expected<TimedSolve> time_solve(Executable& executable, const SolverOptions& options,
                                const std::stop_token& stop) {
  THALLO_TRY(auto summary, solve(executable, without_tests(options), {}, stop));
  const double iterations = std::max(1, summary.num_iterations);
  // Excludes what happens once per solve, which the first record contains.
  const double start = summary.iterations.front().seconds;
  const auto num_linear = static_cast<double>(summary.num_linear_iterations);
  return TimedSolve{.nonlinear_seconds = (summary.seconds.total - start) / iterations,
                    .linear_seconds = num_linear > 0 ? loop_seconds(executable) / num_linear : 0,
                    .linear_iterations = num_linear / iterations,
                    .iterations = std::move(summary.iterations)};
}

}  // namespace thallo
