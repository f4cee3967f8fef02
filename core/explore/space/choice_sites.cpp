#include "core/explore/space/choice_sites.h"

#include <map>
#include <utility>

#include "core/base/error.h"

namespace thallo {
namespace {

// The schedule's choices by construct and site. If a site has several directives, the last one
// counts.
using Decided = std::map<std::pair<std::string_view, Site>, const Choice*>;

Decided decided_in(const Schedule& schedule) {
  Decided decided;
  for (const Directive& directive : schedule.directives())
    decided[{directive.construct, directive.site}] = &directive.choice;
  return decided;
}

std::size_t find_chosen(const std::vector<Alternative>& alternatives, const Choice& choice) {
  const auto chosen = find_alternative(alternatives, choice.label);
  THALLO_ASSERT(chosen != alternatives.end(), "a legal schedule chooses '{}'", choice.label);
  return static_cast<std::size_t>(chosen - alternatives.begin());
}

}  // namespace

std::string ChoiceSite::text(const Alternative& alternative) const {
  return construct->print({std::string(construct->name()), site, alternative.choice});
}

Expected<std::vector<ChoiceSite>> list_choices(const Energy& energy, const Schedule& schedule,
                                               const ConstructRegistry& constructs,
                                               Precision precision, const StorageLimit* limit) {
  if (const auto legal = make_plan(energy, schedule, constructs); !legal)
    return fail(legal.error());
  const Decided decided = decided_in(schedule);
  Plan plan = default_plan(energy);
  plan.precision = precision;
  plan.limit = limit;
  std::vector<ChoiceSite> result;
  for (const Construct* construct : in_stage_order(constructs)) {
    for (std::size_t i = 0;; ++i) {
      const std::vector<Site> sites = construct->sites(energy, plan);
      if (i >= sites.size()) break;
      ChoiceSite at{construct, sites[i], plan, construct->editor(energy, plan, sites[i]),
                    construct->alternatives(energy, plan, sites[i])};
      if (const auto fits = check_editor(at.editor, at.alternatives); !fits)
        return fail("{} of {}: {}", construct->name(), at.site.name, fits.error().what);
      if (const auto said = decided.find({construct->name(), at.site}); said != decided.end())
        at.chosen = find_chosen(at.alternatives, *said->second);
      if (at.chosen > 0) construct->apply(energy, plan, at.site, at.alternatives[at.chosen].choice);
      result.push_back(std::move(at));
    }
  }
  return result;
}

}  // namespace thallo
