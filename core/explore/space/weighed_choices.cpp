#include "core/explore/space/weighed_choices.h"

#include <string>

namespace thallo {

Expected<WeighedChoices> weigh_choices(const Energy& energy, const Schedule& schedule,
                                       const std::vector<ChoiceSite>& sites,
                                       const ConstructRegistry& constructs,
                                       const PlanPrice& price) {
  const auto plan = make_plan(energy, schedule, constructs);
  if (!plan) return fail(plan.error());
  WeighedChoices weighed{.chosen = price(*plan), .sites = {}, .change_numerics = {}};
  for (const ChoiceSite& at : sites) {
    auto& prices = weighed.sites.emplace_back();
    auto& changes = weighed.change_numerics.emplace_back(at.alternatives.size());
    for (std::size_t i = 0; i < at.alternatives.size(); ++i) {
      const Alternative& alternative = at.alternatives[i];
      prices.emplace_back();
      if (!alternative.legal) continue;
      if (i == at.chosen) {
        prices.back() = weighed.chosen;
        continue;
      }
      const auto edited =
          edit(energy, schedule, {{std::string(at.construct->name()), at.site, alternative.choice}},
               constructs);
      if (!edited) return fail(edited.error());
      prices.back() = price(edited->plan);
      changes[i] =
          !alternative.is_repeated && edited->plan.product_tolerance != plan->product_tolerance;
    }
  }
  return weighed;
}

}  // namespace thallo
