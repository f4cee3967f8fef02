#pragma once

// Turns the statements of a schedule text into a Schedule. Statements that change the partition
// (`r:merge(r.fit, r.reg)`) take effect in the order written, so that later ones can name the parts
// they made: the merge of a and b is `a_b`, split(r.a, i, j) gives `a_i_j` (`a_i` when i = j) and
// leaves the rest as `a`. Among all other statements, the last one about a site counts. Every
// statement must be legal, even one that a later statement replaces, unless the replaced one is a
// copy of another part's statement (assume_schedule, split).
//
// Two methods belong to no construct: r.a:assume_schedule(r.b), which is followed by the copies of
// b's statements, and V0:set_coherent(b), a hint that does nothing.

#include <vector>

#include "core/schedule/schedule.h"
#include "core/schedule/statement.h"

namespace thallo {

// The schedule in normal form. Fails with all methods that do not exist and all misuses of
// set_coherent, else with the faults of the first step that has any: one construct, in stage order,
// or the check of assume_schedule. The Diagnostic lists the faults one a line, each with its place.
Expected<Schedule> read_schedule(const Energy& energy,
                                 const std::vector<ScheduleStatement>& statements,
                                 const ConstructRegistry& constructs);

}  // namespace thallo
