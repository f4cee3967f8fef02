#pragma once

// Explains why one schedule of an energy is predicted to be faster than another: splits the change
// of the time of a nonlinear iteration by its causes, and says for each which steps it comes from
// and what they do otherwise.
//
// Steps of the two programs are compared if they have one phase and one label. Those that only one
// of them has are compared with the other one's of their phase, and count as a whole where there
// are none. What a step takes is split by what it waits for, as the cost model says (time_parts.h).
// So a cause is what steps wait for, not what they count: arithmetic that hides behind memory
// changes no time. Where the data of a linear iteration begin or cease to fit into the cache, all
// steps take another time although they do the same. To tell this from what they do otherwise, a
// step is also priced as if it were in the other program, and the cache counts for what the one of
// the two that loses less by it loses.

#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/fields.h"
#include "core/cost/pricing/step_times.h"

namespace thallo {

enum class Cause {
  Recomputation,  // arithmetic
  StoredBytes,    // bytes that must move
  Atomics,
  Cache,    // what no longer fits, and sectors that threads ask for
  Latency,  // values that threads wait for
  Launches,
  Host,    // also the turns of the loop of linear iterations
  Unknown  // what the cost model does not split
};
template <>
inline constexpr EnumNames enum_names<Cause> = {
    "cause of a change",
    {"recomputation", "stored bytes", "atomics", "cache", "latency", "launches", "host",
     "not split"}};

// What a step adds to a change.
struct StepChange {
  // Its label; "phase apply" for all those of a phase that the other program lacks; empty for what
  // is beside the steps.
  std::string step;
  double seconds = 0;    // of a nonlinear iteration; negative if the second program is faster
  std::string sentence;  // "moves 3.69 MB instead of 1.2 MB"
};
THALLO_FIELDS(StepChange, step, seconds, sentence)

struct CauseOfChange {
  Cause cause;
  double seconds = 0;             // as in StepChange
  std::vector<StepChange> steps;  // those that add most come first
  // What the largest of the steps that change in the direction of the whole says:
  // "update +4.3 ms: ...".
  std::string sentence;
};
THALLO_FIELDS(CauseOfChange, cause, seconds, sentence, steps)

struct TimeChangeCauses {
  double from = 0, to = 0;  // seconds of a nonlinear iteration
  // Those that change anything, the largest first. They add up from `from` to `to`.
  std::vector<CauseOfChange> causes;
};

// Explains the change from one program to another. Both must belong to one energy and its data.
// Fails if one of them does not fit into the device's memory.
Expected<TimeChangeCauses> explain_change(const ProgramWork& from, const ProgramWork& to,
                                          const PriceScope& scope);

}  // namespace thallo
