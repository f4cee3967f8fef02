#pragma once

// The schedules that every exploration looks at and every report marks: those that each energy has
// by name, and that of its text.

#include <string>
#include <vector>

#include "core/explore/search.h"
#include "core/explore/work/explored_problem.h"

namespace thallo {

struct NamedProposal {
  std::string name;  // as `--schedule` has it
  Proposal proposal;
};

// Without those that there are none of for this energy, or that have no program.
std::vector<NamedProposal> named_proposals(const ExploredProblem& problem);

}  // namespace thallo
