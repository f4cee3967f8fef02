#pragma once

// What it would cost to decide otherwise: for every alternative that list_choices() lists
// (choice_sites.h) the price of the schedule in which it takes the place of what is chosen. All
// other decisions stay, as far as they are possible beside it.

#include <functional>
#include <optional>
#include <vector>

#include "core/explore/choice_sites.h"

namespace thallo {

// Predicted seconds, for example those of predicted_seconds() (core/cost/autoschedule.h).
using PlanPrice = std::function<double(const Plan&)>;

struct WeighedChoices {
  double chosen = 0;  // the price of the schedule as it is
  // By site and alternative, as they are listed. What is not legal has none.
  std::vector<std::vector<std::optional<double>>> sites;
  // Likewise, True if what is computed is off by more or less than with the schedule as it is, as
  // it is in half precision.
  std::vector<std::vector<bool>> change_numerics;
};

// `sites` are those of the schedule. Fails when the schedule is not legal.
Expected<WeighedChoices> weigh_choices(const Energy& energy, const Schedule& schedule,
                                       const std::vector<ChoiceSite>& sites,
                                       const ConstructRegistry& constructs, const PlanPrice& price);

}  // namespace thallo
