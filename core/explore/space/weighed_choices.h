#pragma once

// Predicts what it would cost to decide otherwise. Every alternative that list_choices() returns
// (choice_sites.h) gets the price of the schedule in which it replaces the current choice. All
// other decisions are kept as far as they remain possible.

#include <functional>
#include <optional>
#include <vector>

#include "core/explore/space/choice_sites.h"

namespace thallo {

// Predicted seconds, as of PlanPricer::seconds() (core/cost/pricing/plan_pricer.h).
using PlanPrice = std::function<double(const Plan&)>;

struct WeighedChoices {
  double chosen = 0;  // the price of the current schedule
  // Indexed by site and alternative, in the order of list_choices(). Illegal alternatives have no
  // price.
  std::vector<std::vector<std::optional<double>>> sites;
  // Indexed likewise. True if the alternative changes the accuracy of the results, as half
  // precision does.
  std::vector<std::vector<bool>> change_numerics;
};

// `sites` must come from the same schedule. Fails if the schedule is illegal.
Expected<WeighedChoices> weigh_choices(const Energy& energy, const Schedule& schedule,
                                       const std::vector<ChoiceSite>& sites,
                                       const ConstructRegistry& constructs, const PlanPrice& price);

}  // namespace thallo
