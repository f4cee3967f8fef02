#pragma once

// A cost model of what a GPU or CPU does with a kernel. A step takes what it costs to start it, plus
// the longest of these, softened where several are nearly as long:
//
// - memory: bytes that every cache must let through, and the sectors of gathers that find their
//   table larger than the cache, at the rate of copies; at the cache's own rate where a linear
//   iteration touches less memory than fits in it
// - cache: the sectors that all accesses of all warps ask for, with duplicates within a warp taken
//   out by the statistics of the map they go through
// - gathers and additions: at the rates measured for tables and targets of their size; additions to
//   one element wait for each other
// - arithmetic: instructions, divisions and transcendental functions at their own rates
// - latency: loads that wait for each other, where too few threads are resident to hide that
//
// times what the last wave of blocks leaves idle. Rates are the device's, measured.

#include <memory>

#include "core/cost/cost_model.h"

namespace thallo {

std::unique_ptr<const CostModel> make_analytic_model();

}  // namespace thallo
