#include "core/search/priced/frozen_sites.h"

#include <algorithm>
#include <bit>
#include <set>

#include "core/schedule/plan_names.h"

namespace thallo {
namespace {

// Returns the name of the part that a site decides about; nothing if it is about no part.
std::optional<std::string> part_at(const Energy& energy, const Plan& plan, const Site& site) {
  switch (site.kind) {
    case SiteKind::Residual:
      if (const auto residual = find_residual(energy, site.name))
        return part_of(plan, *residual).name;
      return {};
    case SiteKind::Part: return site.name;
    case SiteKind::Product:
    case SiteKind::Role: return parse_member_name(site.name).part;
    case SiteKind::Intermediate:
    case SiteKind::Sum:
    case SiteKind::SolverVectors: return {};
  }
  return {};
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
    const auto part = part_at(energy, plan, decision.site);
    if (part && frozen.contains(*part))
      labels_.insert_or_assign({decision.construct, decision.site}, decision.label);
  }
}

const ScheduleSpace::Offer* FrozenSites::find(const ScheduleSpace::Fork& fork) const {
  const auto label = labels_.find({std::string(fork.construct->name()), fork.site});
  if (label == labels_.end()) return nullptr;
  const auto offer = std::ranges::find_if(fork.offers, [&](const ScheduleSpace::Offer& its) {
    return its.choice.label == label->second;
  });
  return offer != fork.offers.end() ? &*offer : nullptr;
}

}  // namespace thallo
