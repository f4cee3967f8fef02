// Measures where the time of a nonlinear iteration goes: each of its steps is timed alone, and in
// addition the linear loop as it runs in a solve.
#pragma once

#include <optional>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/step_timing.h"
#include "core/base/diagnostic.h"
#include "core/solve/options.h"

namespace thallo {

// Brings a bound executable, compiled for the options, to a real point in the middle of a solve. It
// linearizes at the current unknowns, damps, runs one linear iteration (or the dense solve) and the
// trial point of its step, then the first half of the next iteration, so that p, r, z, Ap and PAp
// are those of an iteration before every phase. If the first iteration already solves the system,
// Ap and the others are those of the first. Tolerances are off in the state. Fails if the cost is
// not finite, or if the gradient is zero, so that there is no linear iteration to run.
Expected<void> enter_linear_iteration(Executable& executable, const SolverOptions& options);

// Times the linear loop with run_linear_loop(), including resets. No test stops it.
struct LoopTiming {
  int num_iterations = 0;       // per sample
  std::vector<double> seconds;  // per iteration; one sample for each run of the loop
};
// Must be called at the point that enter_linear_iteration() reaches; afterwards the executable is
// no longer there. Runs `max_iterations`, or fewer if the residual vanishes earlier. The runs count
// in executable.timing(), which measures the time.
Expected<LoopTiming> time_linear_loop(Executable& executable, const SolverOptions& options,
                                      int max_iterations, int num_samples);

struct IterationProfile {
  std::vector<StepTiming> steps;   // phase by phase, in running order
  std::optional<LoopTiming> loop;  // absent for a dense solver
  int reset_period = 0;            // linear iterations; 0 = never

  // Returns the sum of the medians of a linear iteration's steps. A residual reset counts with the
  // share of one iteration. NaN if a step has no samples.
  double linear_iteration_seconds(CacheUse caches) const;
  double loop_seconds() const;  // the median; NaN without a loop
};

// Profiles the iteration from the current unknowns, which are not changed. A step that cannot be
// timed says why (StepTiming::fault).
Expected<IterationProfile> profile_iteration(Executable& executable, const SolverOptions& options,
                                             const StepTimingOptions& timing = {});

}  // namespace thallo
