#pragma once

// The schedules that every exploration looks at and every report marks: those that each energy has
// by name, that of its text, and `auto`.

#include <optional>
#include <string>
#include <vector>

#include "core/cost/device_spec.h"
#include "core/explore/search.h"
#include "core/explore/work/explored_problem.h"

namespace thallo {

struct NamedProposal {
  std::string name;  // as `--schedule` has it
  Proposal proposal;
};

// Without those that there are none of for this energy, or that have no program. `auto` is chosen
// by the spec; without one there is none.
std::vector<NamedProposal> named_proposals(const ExploredProblem& problem,
                                           const std::optional<DeviceSpec>& spec);

}  // namespace thallo
