#pragma once

// From the statements of a schedule text to a Schedule. Statements that change the partition
// (`r:merge(r.fit, r.reg)`) take effect in the order written, so that later ones can name what they
// made: the merge of a and b is `a_b`, split(r.a, i, j) gives `a_i_j` (`a_i` when i = j) and leaves
// the rest as `a`. Of all others the last about one thing counts, and each must be legal, also one
// that is replaced, unless another part's statement was assumed.
//
// Two methods are of no construct: r.a:assume_schedule(r.b), whose copied statements follow it, and
// V0:set_coherent(b), a hint that does nothing.

#include <vector>

#include "core/schedule/schedule.h"
#include "core/schedule/statement.h"

namespace thallo {

// In normal form. All faults are found; the Diagnostic lists them one a line, each with its place.
Expected<Schedule> read_schedule(const Energy& energy,
                                 const std::vector<ScheduleStatement>& statements,
                                 const ConstructRegistry& constructs);

}  // namespace thallo
