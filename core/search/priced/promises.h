// How sites are to be decided that a strategy has brought and that come later: as is fastest for
// the part with this strategy. All prices until then assume it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/search/priced/structural_hash.h"
#include "core/search/schedule_space.h"

namespace thallo {

class Promises {
 public:
  using Price = std::function<double(const Promises&)>;

  bool empty() const { return promises_.empty(); }
  // Returns the label that is promised at a site; null if none is.
  const std::string* find(std::string_view construct, const Site& site) const;
  // Forgets what is promised at a site, since it is decided now.
  void settle(const ScheduleSpace::Fork& fork);
  // Promises what has the lowest price at the sites that the node has and the plan before it has
  // not.
  void promise(const ScheduleSpace& space, const Plan& before, const ScheduleSpace::Node& node,
               const Price& price);

  // Decides behind the node what is promised or pinned, and the rest by default.
  ScheduleSpace::Completion complete(const ScheduleSpace& space,
                                     const ScheduleSpace::Node& node) const;
  // Returns the hash of the decisions with those that are promised.
  StructuralHash added_to(StructuralHash hash) const;

 private:
  struct Promise {
    ScheduleSpace::BroughtSite at;
    ScheduleSpace::Offer offer;  // not the default
  };
  std::vector<Promise> promises_;
};

}  // namespace thallo
