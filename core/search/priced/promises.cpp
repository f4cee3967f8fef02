#include "core/search/priced/promises.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace thallo {

const std::string* Promises::find(std::string_view construct, const Site& site) const {
  const auto found = std::ranges::find_if(promises_, [&](const Promise& its) {
    return its.at.construct->name() == construct && its.at.site == site;
  });
  return found != promises_.end() ? &found->offer.choice.label : nullptr;
}

void Promises::settle(const ScheduleSpace::Fork& fork) {
  std::erase_if(promises_, [&](const Promise& its) {
    return its.at.construct == fork.construct && its.at.site == fork.site;
  });
}

void Promises::promise(const ScheduleSpace& space, const Plan& before,
                       const ScheduleSpace::Node& node, const Price& price) {
  const std::vector<ScheduleSpace::BroughtSite> sites =
      space.brought_sites(before, node.decisions.plan);
  double least = std::numeric_limits<double>::infinity();
  Promises tried = *this;
  const auto try_from = [&](const auto& self, std::size_t site) -> void {
    if (site == sites.size()) {
      if (const double seconds = price(tried); seconds < least) {
        least = seconds;
        *this = tried;
      }
      return;
    }
    const auto& [construct, where] = sites[site];
    const Plan plan = tried.complete(space, node).decisions.plan;
    for (ScheduleSpace::Offer& offer : space.offers(*construct, plan, where)) {
      const std::size_t num_promised = tried.promises_.size();
      if (!offer.is_default) tried.promises_.push_back({sites[site], std::move(offer)});
      self(self, site + 1);
      tried.promises_.resize(num_promised);
    }
  };
  try_from(try_from, 0);
}

ScheduleSpace::Completion Promises::complete(const ScheduleSpace& space,
                                             const ScheduleSpace::Node& node) const {
  ScheduleSpace::Completion result = space.with_pins(node);
  for (const auto& [at, offer] : promises_)
    space.take(*at.construct, at.site, offer, result.decisions);
  return result;
}

StructuralHash Promises::added_to(StructuralHash hash) const {
  for (const auto& [at, offer] : promises_)
    hash.add(depth_of(at.construct->stage(), at.site.kind), at.site, offer.choice, false);
  return hash;
}

}  // namespace thallo
