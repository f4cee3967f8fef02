#include "core/explore/space/guide.h"

#include <algorithm>
#include <utility>

namespace thallo {

std::string text_of(const std::vector<Directive>& directives, const ConstructRegistry& constructs) {
  std::string text;
  for (const Directive& directive : directives) {
    if (!text.empty()) text += ' ';
    text += constructs.find(directive.construct)->print(directive);
  }
  return text;
}

Expected<std::vector<GuidedStep>> guide(const Energy& energy, Schedule schedule,
                                        const ConstructRegistry& constructs, const PlanPrice& price,
                                        const GuideOptions& options, const std::stop_token& stop) {
  std::vector<GuidedStep> steps;
  while (true) {
    const auto sites = list_choices(energy, schedule, constructs, options.precision, options.limit);
    if (!sites) return fail(sites.error());
    const auto weighed = weigh_choices(energy, schedule, *sites, constructs, price, stop);
    if (!weighed) return fail(weighed.error());
    const std::vector<NextMove> moves = next_moves(*weighed);
    const auto best = std::ranges::find_if(moves, [&](const NextMove& move) {
      return !weighed->sites[move.site][move.alternative].changes_numerics;
    });
    if (best == moves.end()) return steps;
    const WeighedAlternative& taken = weighed->sites[best->site][best->alternative];
    if (taken.cost->seconds > weighed->chosen.seconds * (1 - options.least_gain)) return steps;
    auto edited = edit(energy, schedule, taken.directives, constructs);
    if (!edited) return fail(edited.error());
    schedule = std::move(edited->schedule);
    steps.push_back({text_of(taken.directives, constructs), *taken.cost, schedule});
  }
}

}  // namespace thallo
