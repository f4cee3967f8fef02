#pragma once

// Steps timed by the wall clock on the host. Each run is timed by itself, so whatever happens
// between runs (restoring the state, emptying the caches) is no part of it; the time of asking the
// clock is subtracted. Caches are emptied of what the step uses line by line, which is exact and,
// where the last-level cache has hundreds of megabytes, much faster than filling it.

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <vector>

#include "core/backend/host_memory.h"
#include "core/backend/step_timing.h"

namespace thallo {

class HostStepBench final : public StepBench {
 public:
  using RunStep = std::function<void(const Step&)>;
  // `run` runs a step of the program on `memory`.
  HostStepBench(const KernelProgram& program, HostMemory& memory, RunStep run);

  Expected<void> keep(const StepMemory& memory) override;
  Expected<void> prepare(const StepTrial& trial, double seconds) override;
  double time_batch() override;
  void restore() override;

 private:
  // Makes room where memory is short; memory is that of the copy.
  void drop_copies_beside(const StepMemory& memory);
  void write_state(const SolverState& state);
  void evict();
  double run_once();

  const KernelProgram& program_;
  HostMemory& memory_;
  RunStep run_;
  std::vector<std::span<std::byte>> pieces_;      // memory_.changing()
  std::vector<HostAllocation> copies_;            // of pieces that some step changes; else empty
  std::set<std::size_t> changed_;                 // pieces, since the copies were restored
  std::vector<std::span<const std::byte>> used_;  // by the step
  double clock_seconds_;                          // from one look at the clock to the next
  StepTrial trial_;
  int num_runs_ = 1;
};

}  // namespace thallo
