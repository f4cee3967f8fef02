// Where the time of a nonlinear iteration goes: each of its steps timed alone, and beside them the
// linear loop as it is run in a solve.
#pragma once

#include <optional>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/step_timing.h"
#include "core/base/diagnostic.h"
#include "core/solve/options.h"

namespace thallo {

// Brings a bound executable, compiled for the options, to a real point in the middle of a solve: it
// linearizes at the current unknowns, damps, runs one linear iteration (or the dense solve) and the
// trial point of its step, then the first half of the next iteration, so that p, r, z, Ap and PAp
// are those of an iteration before every phase. Where the first iteration already solves the
// system, Ap and the others are those of the first. Tolerances are off in the state. Fails when the
// cost is not finite or there is no linear iteration to run, since the gradient is zero.
Expected<void> enter_linear_iteration(Executable& executable, const SolverOptions& options);

// The linear loop by run_linear_loop(), resets included. No test stops it.
struct LoopTiming {
  int num_iterations = 0;       // of a sample
  std::vector<double> seconds;  // of one iteration, a sample a run of the loop
};
// Called at the point of enter_linear_iteration(), which it leaves. Runs `max_iterations`, or fewer
// where the residual vanishes earlier. The runs count in executable.timing(), which takes the time.
Expected<LoopTiming> time_linear_loop(Executable& executable, const SolverOptions& options,
                                      int max_iterations, int num_samples);

struct IterationProfile {
  std::vector<StepTiming> steps;   // phase by phase, as they are run
  std::optional<LoopTiming> loop;  // absent for a dense solver
  int reset_period = 0;            // linear iterations; 0 = never

  // The sum of the medians of a linear iteration's steps. A residual reset counts with the share of
  // one iteration. NaN when a step has no samples.
  double linear_iteration_seconds(CacheUse caches) const;
  double loop_seconds() const;  // the median; NaN without a loop
};

// Profiles the iteration from the current unknowns, which stay as they are. A step that cannot be
// timed says why (StepTiming::fault).
Expected<IterationProfile> profile_iteration(Executable& executable, const SolverOptions& options,
                                             const StepTimingOptions& timing = {});

}  // namespace thallo
