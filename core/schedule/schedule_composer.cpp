#include "core/schedule/schedule_composer.h"

#include <algorithm>
#include <string>

namespace thallo {

ScheduleComposer::ScheduleComposer(const Energy& energy, const ConstructRegistry& constructs)
    : energy_(&energy), constructs_(&constructs), plan_(default_plan(energy)) {}

Expected<void> ScheduleComposer::choose(std::string_view name, const Wanted& wanted) {
  const auto construct = constructs_->lookup(name);
  if (!construct) return fail(construct.error());
  for (std::size_t i = 0;; ++i) {
    const std::vector<Site> sites = (*construct)->sites(*energy_, plan_);
    if (i >= sites.size()) return {};
    const std::vector<Choice> choices = (*construct)->choices(*energy_, plan_, sites[i]);
    const auto choice = std::ranges::find_if(
        choices, [&](const Choice& offered) { return wanted(sites[i], offered); });
    if (choice == choices.end() || choice == choices.begin()) continue;
    (*construct)->apply(*energy_, plan_, sites[i], *choice);
    directives_.push_back({std::string(name), sites[i], *choice});
  }
}

}  // namespace thallo
