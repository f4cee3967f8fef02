#pragma once

// A cost model of what a GPU or CPU does with a kernel. A step takes what it costs to start it,
// plus the longest of these, softened where several are nearly as long:
//
// - memory: bytes that every cache must let through, and the sectors of gathers that find their
//   table larger than the cache, at the rate of copies; at the cache's own rate where a linear
//   iteration touches less memory than fits in it
// - cache: the sectors that all accesses of all warps ask for, with duplicates within a warp taken
//   out by the statistics of the map they go through
// - additions: at the rate measured for as many addresses, less where they meet in few sectors
// - threads: on a GPU what one thread does, one thing after the other, for as many waves of threads
//   as there are; on a host arithmetic at its own rates, of several points at once where compilers
//   vectorize the kernel
//
// Rates are the device's, measured. How long a thread takes for an operation was fitted once, in
// cycles, to kernels on one GPU, and in flops of the peak to kernels on two hosts.

#include <memory>

#include "core/cost/cost_model.h"

namespace thallo {

// What a run of a step takes time for, in seconds. All but the start goes on at the same time, so
// the longest of these is what the step waits for.
struct StepTimes {
  double start = 0;
  double memory = 0;
  double cache = 0;
  double additions = 0;  // to memory
  double sending = 0;    // scalars, from the multiprocessors of a GPU to memory
  double threads = 0;    // arithmetic, and on a GPU the waiting of a thread for what it loads

  double total() const;  // what the model predicts
};
StepTimes analytic_times(const StepWork& step, const ProgramWork& program,
                         const DeviceSpec& device);

std::unique_ptr<const CostModel> make_analytic_model();

}  // namespace thallo
