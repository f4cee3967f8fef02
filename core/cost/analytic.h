#pragma once

// A cost model of what a GPU or CPU does with a kernel. A step takes what it costs to start it, plus
// the longest of these, softened where several are nearly as long:
//
// - memory: bytes that every cache must let through, and the sectors of gathers that find their
//   table larger than the cache, at the rate of copies; at the cache's own rate where a linear
//   iteration touches less memory than fits in it
// - cache: the sectors that all accesses of all warps ask for, with duplicates within a warp taken
//   out by the statistics of the map they go through
// - additions: at the rate measured for as many addresses, less where they meet in few sectors
// - threads: on a GPU what one thread does, one thing after the other, for as many waves of threads
//   as there are; on a host arithmetic at its own rates
//
// Rates are the device's, measured. How long a thread takes for an operation was fitted once, in
// cycles, to kernels on one GPU.

#include <memory>

#include "core/cost/cost_model.h"

namespace thallo {

std::unique_ptr<const CostModel> make_analytic_model();

}  // namespace thallo
