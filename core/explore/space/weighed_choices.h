#pragma once

// Predicts what it would cost to decide otherwise. Every alternative that list_choices() returns
// (choice_sites.h) gets the price of the schedule in which it replaces the current choice. All
// other decisions are kept as far as they remain possible. Where alternatives are places of an item
// in groups (groups.h), the item moves there alone, and the others stay where they are.
//
//   PlanPricer pricer(...);
//   const auto weighed = weigh_choices(energy, schedule, sites, constructs, price_by(pricer));
//   for (const NextMove& move : next_moves(*weighed))
//     show(weighed->sites[move.site][move.alternative].cost->seconds);

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cost/pricing/plan_pricer.h"
#include "core/explore/space/choice_sites.h"

namespace thallo {

// Predicted seconds and bytes of a plan.
struct PlanCost {
  double seconds = 0;  // of a nonlinear iteration; infinite if the program does not fit
  double linear = 0;   // of these, those of all its linear iterations together
  double bytes = 0;    // of device memory

  double once() const { return seconds - linear; }
};
using PlanPrice = std::function<PlanCost(const Plan&)>;
// The pricer must outlive the result.
PlanPrice price_by(PlanPricer& pricer);

struct WeighedAlternative {
  std::vector<Directive> directives;  // what decides for it, by edit() (core/schedule/schedule.h)
  std::optional<PlanCost> cost;       // none if it is not legal
  std::string hash;                   // of the schedule with it; empty if it is not legal
  // Why it is not legal, though the alternative is: the item cannot move there alone.
  std::optional<Diagnostic> why_not;
  // True if it changes the accuracy of the results, as half precision does.
  bool changes_numerics = false;
};

struct WeighedChoices {
  PlanCost chosen;  // of the current schedule
  // Indexed by site and alternative, in the order of list_choices().
  std::vector<std::vector<WeighedAlternative>> sites;
};

// `sites` must come from the same schedule. Fails if the schedule is illegal, or once a stop is
// requested.
Expected<WeighedChoices> weigh_choices(const Energy& energy, const Schedule& schedule,
                                       const std::vector<ChoiceSite>& sites,
                                       const ConstructRegistry& constructs, const PlanPrice& price,
                                       const std::stop_token& stop = {});

// An alternative that is predicted to be faster than the current schedule.
struct NextMove {
  std::size_t site = 0, alternative = 0;  // into WeighedChoices::sites
};
// Gains below this share of a time are not told from none.
inline constexpr double SmallestGain = 5e-4;
// So many of them are shown, by `thallo explain` and by the app.
inline constexpr std::size_t MostShownMoves = 5;
// Returns the moves that gain, the best first, each different schedule once.
std::vector<NextMove> next_moves(const WeighedChoices& weighed);

}  // namespace thallo
