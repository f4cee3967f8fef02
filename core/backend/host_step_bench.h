#pragma once

// Times steps by the wall clock on the host. Each run is timed by itself, so work between runs
// (restoring the state, emptying the caches) does not count; the time of reading the clock is
// subtracted. The cache lines that the step uses are evicted one by one. This is exact and, if the
// last-level cache has hundreds of megabytes, much faster than overwriting the cache.

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
  // Frees copies that this step does not need if memory is short. The memory must equal the copy
  // when it is called.
  void drop_copies_beside(const StepMemory& memory);
  void write_state(const SolverState& state);
  void evict();
  double run_once();

  const KernelProgram& program_;
  HostMemory& memory_;
  RunStep run_;
  std::vector<std::span<std::byte>> pieces_;  // memory_.changing()
  // Copies of the pieces that some step changes; the others are empty.
  std::vector<HostAllocation> copies_;
  std::set<std::size_t> changed_;                 // pieces changed since the copies were restored
  std::vector<std::span<const std::byte>> used_;  // memory that the step uses
  StepTrial trial_;
  int num_runs_ = 1;
};

}  // namespace thallo
