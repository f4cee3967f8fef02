#pragma once

// What becomes of decisions about parts when residuals go to other parts, which gives the parts
// other names: split smooth, and what was said of r.smooth is said of r.smooth_1 and of r.smooth_2.
//
// A part gets the decisions of the one that its residuals come from. Where several parts were
// merged, it gets what all of them agree on, and the rest is dropped with the reason. A part
// that stays whole while residuals join it keeps its decisions: only whole parts count, if
// there are any.

#include <vector>

#include "core/schedule/schedule.h"

namespace thallo {

// The directives of a schedule of `before` as those of `after`, which differs in the partition
// alone; those that are not about parts are as they were. Adds to `dropped`.
std::vector<Directive> carry_over(const Energy& energy, const std::vector<Directive>& directives,
                                  const Plan& before, const Plan& after,
                                  const ConstructRegistry& constructs,
                                  std::vector<EditedSchedule::Dropped>& dropped);

}  // namespace thallo
