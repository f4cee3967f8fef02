#pragma once

// Times single steps: each step of a phase is run alone, repeatedly, on the real memory of the
// bound instance. Schedules share most of their kernels, so the time of a schedule can be composed
// from the times of its steps.
//
// Before a batch, state, buffers and unknowns are those of the point at which time_steps() was
// called. Within a batch, a step sees the results of its own previous run. For most steps this
// changes nothing, or only makes sums grow with the number of runs. Where it would change more, the
// bench prevents it:
//   - A step with an epilogue changes the slots of the state that it reads (Update clears PAp), so
//     the state is restored before each of its runs. Restoring is not part of its time.
//   - Direction multiplies p by Beta in every run, so p could overflow: Beta is limited to 1/2.
//   - The stopping tests are switched off, and Resetting is 1 in the phases of a residual reset.

#include <functional>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/step_memory.h"

namespace thallo {

enum class CacheUse {
  Hot,     // runs back to back: the caches hold as much of the step's data as fits
  Evicted  // all data of the step are evicted from the caches before each run
};

// One step, and how it is run.
struct StepTrial {
  Phase phase = Phase::Setup;
  std::size_t step = 0;  // index into program().steps(phase); the step is launched
  StepMemory memory;     // memory of the step, which was passed to keep()
  CacheUse caches = CacheUse::Hot;
  SolverState start{};          // the state before the first run
  bool restores_state = false;  // true if every further run begins with this state, too
};

// Runs one step repeatedly on the memory of an executable. Keeps a copy of whatever the step
// changes, as it was when the bench was made. Schedules may store gigabytes of which a step changes
// little, so nothing else is copied or restored. The executable must outlive the bench and must not
// be bound meanwhile.
class StepBench {
 public:
  virtual ~StepBench() = default;
  StepBench() = default;
  StepBench(const StepBench&) = delete;
  StepBench& operator=(const StepBench&) = delete;

  // Restores device memory from the saved copy, then saves whatever this step overwrites. Fails if
  // memory is short, which says nothing about the step itself: another schedule may leave more
  // memory.
  virtual Expected<void> keep(const StepMemory& memory) = 0;
  // Prepares batches that last at least `seconds`, if their number of runs can be chosen. Fails if
  // the step cannot be run repeatedly.
  virtual Expected<void> prepare(const StepTrial& trial, double seconds) = 0;
  // Runs a batch of the trial, starting from the copy. Returns the mean seconds per run and leaves
  // memory as the last run left it.
  virtual double time_batch() = 0;
  // Restores state, buffers and unknowns from the copy.
  virtual void restore() = 0;
};

struct StepTiming {
  StepInfo step;
  // Mean seconds per run, one sample for each batch. Empty if the step is not launched, was not
  // wanted, or has a fault.
  std::vector<double> hot, evicted;
  std::string fault;  // why a launched step has no samples: "state.Stop is raised"
};

struct StepTimingOptions {
  // Selects the steps of the phase to time; the others get no samples. If empty, all steps are
  // timed.
  std::function<bool(std::size_t step)> wants = {};
  // Called for each wanted step as soon as it was timed or found to have a fault.
  std::function<void(std::size_t step, const StepTiming& timing)> timed = {};
  int num_batches = 7;
  double batch_seconds = 2e-3;
  // Once a step has taken this many seconds, three batches are enough: noise affects long batches
  // little.
  int least_batches = 3;
  double most_seconds = 0.25;
};

// Times the steps of a phase. The result has as many entries as executable.steps(phase), in the
// same order. The caller must have brought the executable to a real point
// (core/solve/iteration_profile.h does). Afterwards, state, buffers, unknowns and timing() are as
// before. Fails if memory is short. If a batch ends with a raised Stop, or with NaN in the state or
// in a solver vector that the step writes, the step has a fault; the same holds if the median is
// not positive. (A single sample, being a difference, need not be positive.)
Expected<std::vector<StepTiming>> time_steps(Executable& executable, Phase phase,
                                             const StepTimingOptions& options = {});

// True for the phases of a residual reset.
bool is_reset(Phase phase);

// Returns the median (for an even number of samples, the mean of the two in the middle); NaN if
// there are no samples.
double median(std::vector<double> samples);

}  // namespace thallo
