#pragma once

// Transfers decisions about parts when residuals move to other parts and the parts change their
// names: when smooth is split, the decisions about r.smooth apply to r.smooth_1 and to r.smooth_2.
//
// A part gets the decisions of the part that its residuals come from. If several parts were merged,
// it gets what all of them agree on; the rest is dropped with the reason. A part that stays whole
// while residuals join it keeps its decisions: if there are whole parts, only those count.

#include <vector>

#include "core/schedule/schedule.h"

namespace thallo {

// Converts the directives of a schedule of `before` to directives of `after`, which differs in the
// partition alone; directives that are not about parts are unchanged. Adds to `dropped`.
std::vector<Directive> carry_over(const Energy& energy, const std::vector<Directive>& directives,
                                  const Plan& before, const Plan& after,
                                  const ConstructRegistry& constructs,
                                  std::vector<EditedSchedule::Dropped>& dropped);

}  // namespace thallo
