#pragma once

// Finds statements that contradict each other, such as r.fit:strategy("JtJp") and, below it,
// r.fit:strategy("[JtJ]p"). A method may decide about a part, product, intermediate or Sum only
// once; otherwise the meaning would depend on the order of the statements alone.
//
// The following remains legal, and the last statement counts:
// - switches, which are turned on and off again, as in the published system: materializeJtJ(false);
//   unless the caller refuses that, too;
// - what is copied from another part (assume_schedule, split), which the part's own
//   statements replace;
// - one method of a part and of one of its products, which is more specific, and two methods of one
//   construct (docs/schedules.md says what they do to each other);
// - statements about a part above and below a statement that changes the partition.

#include <cstddef>
#include <span>
#include <vector>

#include "core/schedule/construct.h"

namespace thallo {

// What two statements of one method mean that decide the same differently.
enum class Repetition {
  LastCounts,  // of switches and of statements about the partition the last one counts
  Refused      // they contradict each other, unless they are about the partition as a whole
};

// Returns one fault for each statement that contradicts an earlier one, at its place and with the
// text and place of both. `statements` are the statements of the construct, which must be legal;
// `epochs` contains, for each of them, the number of preceding statements that change the
// partition.
std::vector<Diagnostic> find_contradictions(const Construct& construct, const Energy& energy,
                                            const Plan& plan, const PartNames& names,
                                            std::span<const ScheduleStatement> statements,
                                            std::span<const std::size_t> epochs,
                                            Repetition repetition);

}  // namespace thallo
