#pragma once

// Carries out the request "choose" of a worker (worker.h): times how the schedule `auto` is chosen.

#include "core/cost/device/device_spec.h"
#include "core/explore/space/explored_problem.h"
#include "core/explore/worker/answers.h"

namespace thallo {

// The energy is loaded anew, because an energy caches what was found out about it. Statistics of
// the maps are not in the times. Throws Refusal.
TimedChoice time_choice(const ExploredProblem& problem, FoundSites sites, const DeviceSpec& device,
                        int num_plans);

}  // namespace thallo
