#pragma once

// The time of single steps: each step of a phase is run alone, over and over, on the real memory of
// the bound instance. Schedules share most of their kernels, so the time of a schedule can be
// composed of the times of its steps.
//
// Before a batch, state, buffers and unknowns are those of the point at which time_steps() was
// called. In a batch, a step reads what it left itself, which changes nothing, or lets sums grow
// with the number of runs. Where more would change, it is prevented:
//   - A step with an epilogue changes the slots of the state that it reads (Update clears PAp), so
//     the state is restored before each of its runs. Restoring is not part of its time.
//   - Direction multiplies p by Beta each time, which would overflow: Beta is at most 1/2.
//   - The stopping tests are switched off, and Resetting is 1 in the phases of a residual reset.

#include <functional>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/step_memory.h"

namespace thallo {

enum class CacheUse {
  Hot,     // one run after the other: a step finds in the caches what fits of its own data
  Evicted  // before each run all its data are driven out of the caches
};

// One step, and how it is run.
struct StepTrial {
  Phase phase = Phase::Setup;
  std::size_t step = 0;  // into program().steps(phase); it is launched
  StepMemory memory;     // of the step; it was given to keep()
  CacheUse caches = CacheUse::Hot;
  SolverState start{};          // the state before the first run
  bool restores_state = false;  // ... and before every further run
};

// Runs one step over and over on the memory of an executable, and keeps a copy of what it changes
// as that was when the bench was made. Schedules may store gigabytes that few of their steps
// change, so nothing else is copied or restored. The executable must outlive it, and must not be
// bound meanwhile.
class StepBench {
 public:
  virtual ~StepBench() = default;
  StepBench() = default;
  StepBench(const StepBench&) = delete;
  StepBench& operator=(const StepBench&) = delete;

  // Makes memory that of the copy, and adds to the copy what a step changes. Fails when there is
  // not enough memory for that, which says nothing about the step: another schedule may leave more.
  virtual Expected<void> keep(const StepMemory& memory) = 0;
  // Makes ready for batches that last at least `seconds` where their number of runs is free to
  // choose. Fails when the step cannot be run over and over.
  virtual Expected<void> prepare(const StepTrial& trial, double seconds) = 0;
  // Runs a batch of the trial from the copy. Returns the mean seconds of a run and leaves memory as
  // the last run left it.
  virtual double time_batch() = 0;
  // Makes state, buffers and unknowns those of the copy.
  virtual void restore() = 0;
};

struct StepTiming {
  StepInfo step;
  // Mean seconds of a run, a sample a batch. None for a step that is not launched or not wanted, or
  // for a fault.
  std::vector<double> hot, evicted;
  std::string fault;  // why a step that is launched has no samples: "state.Stop is raised"
};

struct StepTimingOptions {
  // Which steps of the phase are timed; the others have no samples. Empty: all.
  std::function<bool(std::size_t step)> wants = {};
  // Told of each wanted step as soon as it was timed, or found to have a fault.
  std::function<void(std::size_t step, const StepTiming& timing)> timed = {};
  int num_batches = 7;
  double batch_seconds = 2e-3;
  // Where batches take long, which noise then changes little, three are enough: after so many
  // seconds a step has no further one.
  int least_batches = 3;
  double most_seconds = 0.25;
};

// Times the steps of a phase, as many as executable.steps(phase) and in their order. The caller has
// brought the executable to a real point (core/solve/iteration_profile.h does), and it is left as
// it was: state, buffers, unknowns and timing(). Fails when memory is short. A batch that ends with
// a raised Stop, or with NaN in the state or in a solver vector that the step writes, is a fault of
// the step; so is a median that is not above 0. (A single sample, a difference, need not be.)
Expected<std::vector<StepTiming>> time_steps(Executable& executable, Phase phase,
                                             const StepTimingOptions& options = {});

// Is it one of the phases of a residual reset?
bool is_reset(Phase phase);

// The middle value (of an even number, the mean of the two); NaN of none.
double median(std::vector<double> samples);

}  // namespace thallo
