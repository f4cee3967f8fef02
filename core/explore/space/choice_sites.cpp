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

// Returns the position of the choice among the alternatives of its site. A construct need not list
// all that it finds; the choice is then added.
std::size_t find_chosen(const Energy& energy, ChoiceSite& at, const Choice& choice) {
  const auto chosen = find_alternative(at.alternatives, choice.label);
  const auto position = static_cast<std::size_t>(chosen - at.alternatives.begin());
  if (chosen != at.alternatives.end()) return position;
  auto found = at.construct->find(energy, *at.plan, at.site, choice);
  THALLO_ASSERT(found.has_value(), "a legal schedule chooses '{}'", choice.label);
  at.alternatives.push_back(*std::move(found));
  return position;
}

}  // namespace

std::string ChoiceSite::text(const Alternative& alternative) const {
  return construct->print({std::string(construct->name()), site, alternative.choice});
}

Expected<std::vector<ChoiceSite>> list_choices(const Energy& energy, const Schedule& schedule,
                                               const ConstructRegistry& constructs,
                                               Precision precision, const StorageLimit* limit) {
  THALLO_CHECK(make_plan(energy, schedule, constructs));
  const Decided decided = decided_in(schedule);
  Plan first = default_plan(energy);
  first.precision = precision;
  first.limit = limit;
  auto plan = std::make_shared<const Plan>(std::move(first));
  std::vector<ChoiceSite> result;
  for (const Construct* construct : in_stage_order(constructs)) {
    for (const Site& site : construct->sites(energy, *plan)) {
      ChoiceSite at{construct, site, plan, construct->editor(energy, *plan, site),
                    construct->alternatives(energy, *plan, site)};
      if (const auto fits = check_editor(at.editor, at.alternatives); !fits)
        return fail("{} of {}: {}", construct->name(), at.site.name, fits.error().what);
      if (const auto said = decided.find({construct->name(), at.site}); said != decided.end())
        at.chosen = find_chosen(energy, at, *said->second);
      if (at.chosen > 0) {
        Plan next = *plan;
        construct->apply(energy, next, at.site, at.alternatives[at.chosen].choice);
        plan = std::make_shared<const Plan>(std::move(next));
      }
      result.push_back(std::move(at));
    }
  }
  return result;
}

}  // namespace thallo
