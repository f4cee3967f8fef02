#pragma once

// Returns the schedules that every exploration measures and every report marks: the named schedules
// that every energy has, the schedule of the energy's text, and `auto`. They are references, also
// where they do not keep the pins of an exploration.

#include <optional>
#include <string>
#include <vector>

#include "core/cost/device/device_spec.h"
#include "core/explore/space/explored_problem.h"
#include "core/search/search.h"

namespace thallo {

struct NamedProposal {
  std::string name;  // as passed to `--schedule`
  Proposal proposal;
  bool keeps_pins = true;
};

// Leaves out schedules that do not exist for this energy or that have no program. `auto` is chosen
// for the device of `spec`; without a spec it is left out. place_in() sets numbers and pins.
std::vector<NamedProposal> named_proposals(const ExploredProblem& problem,
                                           const std::optional<DeviceSpec>& spec);
// Sets the numbers in the space, if there is one, and whether they keep the pins of `full`.
void place_in(const IndexedSpace* space, const ScheduleSpace& full,
              std::vector<NamedProposal>& named);

}  // namespace thallo
