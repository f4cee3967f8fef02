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
// Rates are measured on the device. The time of a thread's operations was fitted once: in cycles,
// to kernels on one GPU, and as a number of flops at the peak rate, to kernels on two hosts.

#include <memory>

#include "core/cost/model/cost_model.h"

namespace thallo {

// The components of a step's time, in seconds. All but the start happen concurrently, so the step
// waits for the longest one.
struct StepTimes {
  // What threads do, one thing after the other, in any unit.
  struct OfThreads {
    double arithmetic = 0, loads = 0, additions = 0;
  };

  double start = 0;
  double memory = 0;
  double cache = 0;
  double additions = 0;       // additions to memory
  double sending = 0;         // moving scalars from a GPU's multiprocessors to memory
  double threads = 0;         // arithmetic; on a GPU also waiting for loads
  OfThreads of_threads;       // the shares of `threads`
  double sent_additions = 0;  // the share of `sending` that is added, not stored; 0 to 1

  double total() const;  // the model's prediction
  // Splits total(). A component counts by how much total() would change if it changed a little, so
  // that the longest one has nearly all, and what is hidden behind it next to nothing.
  TimeParts parts() const;
};
StepTimes analytic_times(const StepWork& step, const ProgramWork& program,
                         const DeviceSpec& device);

std::unique_ptr<const CostModel> make_analytic_model();

}  // namespace thallo
