// Prints the next best moves from a schedule, and the way on which they lead, for `thallo explain`.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/cli/choices_output.h"
#include "core/explore/space/guide.h"

namespace thallo::cli {

// The best moves of choices.weighed, which must be there. `together`: two decisions that help only
// together, or none. The text ends with a line break.
std::string moves_text(const ShownChoices& choices, const std::vector<GuidedStep>& together,
                       const ConstructRegistry& constructs);
// Adds the members "predicted", "moves" and "together".
void add_moves(nlohmann::ordered_json& json, const ShownChoices& choices,
               const std::vector<GuidedStep>& together, const ConstructRegistry& constructs);

// `start`: of the schedule before the first step.
std::string guide_text(const PlanCost& start, const std::vector<GuidedStep>& steps,
                       const ConstructRegistry& constructs);
// Adds the members "start" and "steps".
void add_guide(nlohmann::ordered_json& json, const PlanCost& start,
               const std::vector<GuidedStep>& steps, const ConstructRegistry& constructs);

}  // namespace thallo::cli
