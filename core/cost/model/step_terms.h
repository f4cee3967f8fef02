#pragma once

// What a step does on a device, term by term, each in the seconds that it would take alone. Models
// combine the terms: analytic.h as they are, the learned ones with fitted coefficients
// (core/cost/learned).
//
// Terms are counts of the step's work (work.h) at rates that were measured on the device. Only the
// time of a thread's operations was fitted once: in cycles, to kernels on one GPU, and as a number
// of flops at the peak rate, to kernels on two hosts.

#include <array>
#include <cstddef>

#include "core/base/enum_names.h"
#include "core/cost/device/device_spec.h"
#include "core/cost/model/work.h"

namespace thallo {

enum class Term {
  Start,      // being started
  Move,       // the bytes that every cache must let through
  Miss,       // sectors of gathers, asked for again because the table is larger than the cache
  Ask,        // the sectors that all warps ask the caches for, side by side
  Gather,     // the sectors that they ask for through maps
  Contend,    // additions to memory, at the rate measured for as many addresses
  Store,      // a GPU's multiprocessors send scalars to memory, sector by sector,
  Send,       // and additions
  Flops,      // of threads: additions, multiplications and the like,
  Divide,     // divisions and roots,
  Call,       // transcendental functions,
  Load,       // waiting for loads,
  Add,        // and starting additions to memory
  Unbalance,  // what the busiest thread does more than the others
  Reduce      // sums over all threads
};
// In tables and model files.
template <>
inline constexpr EnumNames enum_names<Term> = {
    "term of a time",
    {"start", "move", "miss", "ask", "gather", "contend", "store", "send", "flops", "divide",
     "call", "load", "add", "unbalance", "reduce"}};
inline constexpr auto AllTerms = all_values<Term>();

// Seconds by term.
class StepTerms {
 public:
  double& operator[](Term term) { return seconds_[static_cast<std::size_t>(term)]; }
  double operator[](Term term) const { return seconds_[static_cast<std::size_t>(term)]; }

 private:
  std::array<double, AllTerms.size()> seconds_{};
};

// Computes the terms of a step of `program`. A step without points is only started.
StepTerms terms_of(const StepWork& step, const ProgramWork& program, const DeviceSpec& device);

}  // namespace thallo
