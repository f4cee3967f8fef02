#pragma once

// Who asked for what a schedule makes. A directive asked for a thing that is not there without it.
// Where several directives each would do, perhaps beside others that it needs, it is there without
// any one of them: then those have asked without which it is not there in a smaller schedule.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/schedule/schedule.h"

namespace thallo {

// What a plan makes, by names; equal names are different things, told apart by their number.
using ThingsOf = std::function<std::vector<std::string>(const Plan& plan)>;

// For each thing of the schedule's plan, in their order, the directives that asked for it, by their
// places in the schedule, ascending; none: every schedule has it. The schedule must be legal.
std::vector<std::vector<std::size_t>> find_askers(const Energy& energy, const Schedule& schedule,
                                                  const ConstructRegistry& constructs,
                                                  const ThingsOf& things_of);

}  // namespace thallo
