#include "core/search/priced/frozen_sites.h"

#include <algorithm>
#include <bit>
#include <set>

#include "core/schedule/plan_names.h"
#include "core/search/subject.h"

namespace thallo {
namespace {

// Returns the part that a site decides about; its kind is another if it is about no part.
Subject part_at(const Energy& energy, const Plan& plan, const Site& site) {
  if (site.kind == SiteKind::Residual) {
    if (const auto residual = find_residual(energy, site.name))
      return {SiteKind::Part, part_of(plan, *residual).name};
  }
  return subject_of(site);
}

}  // namespace

FrozenSites::FrozenSites(const Energy& energy, const Plan& plan,
                         const std::vector<TakenDecision>& way, StatePricer& pricer) {
  std::vector<std::pair<double, std::string>> parts;
  for (const Part& part : plan.parts) parts.emplace_back(pricer.share(plan, part), part.name);
  std::ranges::stable_sort(parts, std::ranges::greater(), &std::pair<double, std::string>::first);
  const auto num_open =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::bit_width(parts.size())) - 1);
  std::set<std::string> frozen;
  for (std::size_t p = num_open; p < parts.size(); ++p) frozen.insert(parts[p].second);
  for (const TakenDecision& decision : way) {
    const Subject subject = part_at(energy, plan, decision.site);
    if (subject.kind == SiteKind::Part && frozen.contains(subject.name))
      labels_.insert_or_assign({decision.construct, decision.site}, decision.label);
  }
}

const ScheduleSpace::Offer* FrozenSites::find(const ScheduleSpace::Fork& fork) const {
  const auto label = labels_.find({std::string(fork.construct->name()), fork.site});
  return label != labels_.end() ? fork.find(label->second) : nullptr;
}

}  // namespace thallo
