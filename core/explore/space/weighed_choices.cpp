#include "core/explore/space/weighed_choices.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/explore/space/groups.h"

namespace thallo {
PlanPrice price_by(PlanPricer& pricer) {
  return [&pricer](const Plan& plan) {
    const Prediction prediction = pricer.price(plan).prediction;
    return PlanCost{
        .seconds = prediction.nonlinear_iteration,
        .linear = prediction.linear_iteration * pricer.options().counts.linear_iterations,
        .bytes = prediction.bytes};
  };
}

Expected<WeighedChoices> weigh_choices(const Energy& energy, const Schedule& schedule,
                                       const std::vector<ChoiceSite>& sites,
                                       const ConstructRegistry& constructs, const PlanPrice& price,
                                       const std::stop_token& stop) {
  const auto plan = make_plan(energy, schedule, constructs);
  if (!plan) return fail(plan.error());
  WeighedChoices weighed{.chosen = price(*plan), .sites = {}};
  const std::string hash = schedule.hash(constructs).hex();
  for (const ChoiceSite& at : sites) {
    auto& alternatives = weighed.sites.emplace_back(at.alternatives.size());
    for (std::size_t i = 0; i < at.alternatives.size(); ++i) {
      if (stop.stop_requested()) return fail("stopped");
      const Alternative& alternative = at.alternatives[i];
      WeighedAlternative& its = alternatives[i];
      if (!alternative.legal) continue;
      if (i == at.chosen) {
        its.cost = weighed.chosen;
        its.hash = hash;
        continue;
      }
      auto directives = directives_for(energy, sites, at, alternative.choice);
      if (!directives) {
        its.why_not = directives.error();
        continue;
      }
      const auto edited = edit(energy, schedule, *directives, constructs);
      if (!edited) return fail(edited.error());
      its = {.directives = *std::move(directives),
             .cost = price(edited->plan),
             .hash = edited->schedule.hash(constructs).hex(),
             .why_not = {},
             .changes_numerics = !alternative.is_repeated &&
                                 edited->plan.product_tolerance != plan->product_tolerance};
    }
  }
  return weighed;
}

std::vector<NextMove> next_moves(const WeighedChoices& weighed) {
  const double least = weighed.chosen.seconds * (1 - SmallestGain);
  std::vector<NextMove> moves;
  for (std::size_t s = 0; s < weighed.sites.size(); ++s) {
    for (std::size_t a = 0; a < weighed.sites[s].size(); ++a) {
      const auto& cost = weighed.sites[s][a].cost;
      if (cost && cost->seconds < least) moves.push_back({s, a});
    }
  }
  const auto of = [&](const NextMove& move) -> const WeighedAlternative& {
    return weighed.sites[move.site][move.alternative];
  };
  std::ranges::stable_sort(moves, {}, [&](const NextMove& move) { return of(move).cost->seconds; });
  std::set<std::string> seen;
  std::erase_if(moves, [&](const NextMove& move) { return !seen.insert(of(move).hash).second; });
  return moves;
}

}  // namespace thallo
