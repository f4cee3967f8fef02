#include "core/schedule/schedule_composer.h"

#include <utility>

#include "core/schedule/gather.h"
#include "core/schedule/plan_names.h"

namespace thallo {

ScheduleComposer::ScheduleComposer(const Energy& energy, const ConstructRegistry& constructs)
    : energy_(&energy), constructs_(&constructs), plan_(default_plan(energy)) {}

Expected<void> ScheduleComposer::choose(std::string_view name, const Wanted& wanted) {
  THALLO_TRY(const auto construct, constructs_->lookup(name));
  for (const Site& site : construct->sites(*energy_, plan_)) take(*construct, site, wanted(site));
  return {};
}

Expected<void> ScheduleComposer::merge(const WantedDims& is_wanted) {
  THALLO_TRY(const auto construct, constructs_->lookup("split_merge"));
  for (std::size_t group = 0; group < energy_->groups().size(); ++group) {
    const std::vector<DimId> dims = dims_of(*energy_, group);
    if (!is_wanted(dims)) continue;
    for (std::size_t p = 0; p < plan_.parts.size(); ++p) {
      const ResidualRef first = plan_.parts[p].residuals.front();
      if (first.group >= group) break;
      if (dims_of(*energy_, first.group) != dims) continue;
      const Site site{SiteKind::Residual, residual_name(*energy_, {group, 0})};
      if (take(*construct, site, "with " + residual_name(*energy_, first))) break;
    }
  }
  return {};
}

Expected<void> ScheduleComposer::gather_most() {
  return choose("compute_at_output", [this](const Site& site) {
    const Part& part = *find_part(plan_, parse_member_name(site.name).part);
    return label_of(*energy_, most_gathered(*energy_, part.residuals));
  });
}

bool ScheduleComposer::take(const Construct& construct, const Site& site, std::string label) {
  const auto meant = construct.find(*energy_, plan_, site, {std::move(label), {}});
  if (!meant || !meant->legal) return false;
  const Choice& choice = meant->choice;
  if (meant->is_repeated || choice.label == construct.default_choice(*energy_, plan_, site).label)
    return true;
  construct.apply(*energy_, plan_, site, choice);
  directives_.push_back({std::string(construct.name()), site, choice});
  return true;
}

}  // namespace thallo
