#pragma once

// The schedules that every energy has by name:
//
//   default             no choice at all: parts as the groups are written, everything recomputed
//   published-default   what the paper calls unscheduled: groups over the same dims merged; where a
//                       Sum reads unknowns its values are stored and the strategy is Jt[Jp]; an
//                       atomic for each access (but a Sum that is one number adds in warps)
//   opt                 what Opt generates: merged likewise, gathered at the output where the
//                       accesses have inverses (stencils), scattered elsewhere (graphs)

#include <string_view>

#include "core/schedule/schedule.h"

namespace thallo {

inline constexpr std::string_view NamedSchedules[] = {"default", "opt", "published-default"};

// In normal form. Fails for another name, with these as alternatives, and when a construct that it
// needs is not loaded.
Expected<Schedule> named_schedule(std::string_view name, const Energy& energy,
                                  const ConstructRegistry& constructs);

}  // namespace thallo
