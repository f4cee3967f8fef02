#pragma once

// The autoscheduler: chooses a schedule for an energy and an instance by predicted times, without
// compiling anything. It follows the cascade of the Thallo paper (Mara et al. 2021,
// section 5), with every step decided by a cost model:
//
// 1. Groups over equal domains become one part, or a few parts, where that is cheaper.
// 2. Intermediates, named and found ones, are stored or computed again: breadth first from the
//    inputs, each as is cheapest, and by a minimum cut through the graph of intermediates; the
//    cheaper of the two is taken.
// 3. Each part gets the strategy, formats and places of accumulation that are cheapest together.
// 4. Each part iterates first over the domain that is cheapest; of equals one that
//    reads no unknown.
// 5. The default schedule is taken if the price of its program is no higher, another named one if
//    it is lower, and the solver's vectors are blocked where that promises a clear gain. (The
//    paper's cascade has no such steps.)
// 6. On a GPU, blocks compute tiles of convolutions in kernels of the linear loop where that
//    promises a clear gain.
//
// Constructs that are not part of the cascade (precision, other launch shapes) keep their defaults.
// Where the program is to be deterministic, all of this is among what gathers wherever it can be
// (check_order() in core/schedule/gather.h), and so does the default schedule of step 5, the only
// named one there. The choice depends on the energy, the extents, the statistics of the maps, the
// device and the counts of iterations, and on nothing else: equal input gives an equal schedule.

#include <cstdint>
#include <string>
#include <vector>

#include "core/cost/pricing/plan_pricer.h"
#include "core/schedule/schedule.h"

namespace thallo {

// What was compared at a step of the cascade. Seconds are those of a nonlinear iteration: at the
// steps 1 to 4 estimates without the solver's own kernels, and of a part of its kernels only; at
// step 5 prices of all of it.
struct AutoStep {
  struct Compared {
    std::string name;  // "[JtJ]p, JtF at output"
    double seconds = 0;
  };
  std::string subject;             // "part fit"
  std::vector<Compared> compared;  // what was chosen is the first
};
// Returns "part fit: [JtJ]p 120.3 µs; JtJp 141.2 µs, Jt[Jp] 155 µs", in which the first is chosen.
std::string to_string(const AutoStep& step);

struct AutoSchedule {
  Schedule schedule;  // in normal form
  std::vector<AutoStep> steps;
};

// The pricer must belong to the energy. A part stores at most `memory_limit` bytes of J, JtJ and
// Jp, and all parts together do so as well. Fails only if the constructs that carry out the cascade
// refuse what it wants, which is a bug in them.
Expected<AutoSchedule> autoschedule(const Energy& energy, const ConstructRegistry& constructs,
                                    PlanPricer& pricer, std::int64_t memory_limit);

}  // namespace thallo
