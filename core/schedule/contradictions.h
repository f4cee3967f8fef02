#pragma once

// Statements that say one thing in two ways: r.fit:strategy("JtJp") and, below it,
// r.fit:strategy("[JtJ]p"). One method said of one part, product, intermediate or Sum decides it
// once; else which of the two is meant depends on their order alone.
//
// What remains legal, and the last statement counts:
// - switches, which are turned on and off again, as in the published system: materializeJtJ(false);
// - what is copied from another part (assume_schedule, split), which the part's own
//   statements replace;
// - one method of a part and of one of its products, which is more specific, and two methods of one
//   construct (docs/schedules.md says what they do to each other);
// - what is said of a part above and below a statement that changes the partition.

#include <cstddef>
#include <span>
#include <vector>

#include "core/schedule/construct.h"

namespace thallo {

// One fault for each statement that contradicts an earlier one, at its place and with the text and
// the place of both. `statements` are those of the construct, which are legal; `epochs` has for
// each the number of statements above it that change the partition.
std::vector<Diagnostic> find_contradictions(const Construct& construct, const Energy& energy,
                                            const Plan& plan, const PartNames& names,
                                            std::span<const ScheduleStatement> statements,
                                            std::span<const std::size_t> epochs);

}  // namespace thallo
