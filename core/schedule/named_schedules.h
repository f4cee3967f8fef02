#pragma once

// The schedules that every energy has by name:
//
//   default             no choice at all: parts as the groups are written, everything recomputed
//   published-default   what the paper calls unscheduled: groups over the same dims are merged; a
//                       Sum that reads unknowns has its values stored, and its part has the
//                       strategy Jt[Jp]; every access makes its own atomic addition (except that a
//                       Sum that is one number for all points adds in warps)
//   opt                 what Opt generates: groups merged likewise, gathered at the output where
//                       the accesses have inverses (stencils), scattered elsewhere (graphs)

#include <string_view>

#include "core/schedule/schedule_composer.h"

namespace thallo {

inline constexpr std::string_view NamedSchedules[] = {"default", "opt", "published-default"};

// Returns the schedule in normal form. Fails for any other name, with NamedSchedules as
// alternatives, and if a construct that the schedule needs is not loaded.
Expected<Schedule> named_schedule(std::string_view name, const Energy& energy,
                                  const ConstructRegistry& constructs);

// Returns the composition that the schedule is made of, to be changed further. Fails likewise.
Expected<ScheduleComposer> compose_named(std::string_view name, const Energy& energy,
                                         const ConstructRegistry& constructs);

// Returns the schedule of gathered_plan() (gather.h), in normal form.
Expected<Schedule> gathered_schedule(const Energy& energy, const ConstructRegistry& constructs);

}  // namespace thallo
