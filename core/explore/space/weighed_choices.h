#pragma once

// Predicts what it would cost to decide otherwise. Every alternative that list_choices() returns
// (choice_sites.h) gets the price of the schedule in which it replaces the current choice. All
// other decisions are kept as far as they remain possible. Where alternatives are places of an item
// in groups (groups.h), the item moves there alone, and the others stay where they are; merging two
// whole groups is weighed, too.
//
// An alternative whose estimate is that of the current schedule is not told from it: launch shapes,
// teams, aggregation and the like. Of all others, those that are estimated to be fastest are
// priced, as many as WeighingLimits say. The rest gets estimates, scaled so that that of the
// current schedule is its price.
//
//   PlanPricer pricer(...);
//   const auto weighed = weigh_choices(energy, schedule, sites, constructs, price_by(pricer),
//                                      weighing_limits(energy, sites.size()));
//   for (const WeighedAlternative* move : next_moves(*weighed)) show(move->cost->seconds);

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cost/pricing/plan_pricer.h"
#include "core/explore/space/choice_sites.h"
#include "core/explore/space/groups.h"

namespace thallo {

// Predicted seconds and bytes of a plan.
struct PlanCost {
  double seconds = 0;  // of a nonlinear iteration; infinite if the program does not fit
  double linear = 0;   // of these, those of all its linear iterations together
  double bytes = 0;    // of device memory

  double once() const { return seconds - linear; }
};
struct PlanPrice {
  std::function<PlanCost(const Plan&)> price;
  std::function<PlanCost(const Plan&)> estimate;
  // Fails if the linear solver has no program of the plan.
  std::function<Expected<void>(const Plan&)> check = [](const Plan&) { return Expected<void>(); };
};
// The pricer must outlive the result.
PlanPrice price_by(PlanPricer& pricer);

struct WeighedAlternative {
  std::vector<Directive> directives;  // what decides for it, by edit() (core/schedule/schedule.h)
  std::optional<PlanCost> cost;       // none if it is not legal or was not weighed
  Schedule schedule;                  // with it, in normal form; empty if there is no cost
  std::string hash;                   // of that schedule; likewise
  // Why it is not legal, though the alternative is: the item cannot move there alone.
  std::optional<Diagnostic> why_not;
  // True if it changes the accuracy of the results, as half precision does.
  bool changes_numerics = false;
};

// Two groups of a construct, such as parts, made one.
struct WeighedMerge {
  const Construct* construct = nullptr;
  Groups groups;                         // all of the construct, after the merge
  std::vector<std::string> into, other;  // the items of the two groups
  WeighedAlternative its;
};

struct WeighedChoices {
  PlanCost chosen;  // of the current schedule
  // Indexed by site and alternative, in the order of list_choices().
  std::vector<std::vector<WeighedAlternative>> sites;
  std::vector<WeighedMerge> merges;  // the legal ones
  // Alternatives and merges that were not weighed, because there are more than the bound.
  std::size_t left_out = 0;
};

struct WeighingLimits {
  // So many alternatives, and as many merges, are weighed. If there are more, these are those at
  // the first sites of every construct, and the merges of the first groups.
  std::size_t weighed = 0;
  std::size_t priced = 0;            // different schedules
  std::size_t priced_low_level = 0;  // of these, such that differ in a low-level decision
};
// Applying an alternative takes longer, the more sites there are, so that fewer are weighed then:
// 2,000 for 50 sites, 30 for 400, none from 2,240 sites on. No problem of ours reaches this; an
// energy of 20 residuals without merged parts does. Likewise fewer programs of large energies are
// priced, which together takes less than a second.
WeighingLimits weighing_limits(const Energy& energy, std::size_t sites);

// `sites` must come from the same schedule. Fails if the schedule is illegal, or once a stop is
// requested.
Expected<WeighedChoices> weigh_choices(const Energy& energy, const Schedule& schedule,
                                       const std::vector<ChoiceSite>& sites,
                                       const ConstructRegistry& constructs, const PlanPrice& price,
                                       const WeighingLimits& limits,
                                       const std::stop_token& stop = {});

// Gains below this share of a time are not told from none.
inline constexpr double SmallestGain = 5e-4;
// So many moves are shown, by `thallo explain` and by the app.
inline constexpr std::size_t MostShownMoves = 5;
// Returns the alternatives and merges that are predicted to be faster than the current schedule,
// the best first, each different schedule once. They point into `weighed`.
std::vector<const WeighedAlternative*> next_moves(const WeighedChoices& weighed);

}  // namespace thallo
