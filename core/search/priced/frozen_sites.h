// Decisions that a search no longer varies: those about all parts of a state but the most expensive
// ones.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/search/priced/state_pricer.h"
#include "core/search/schedule_space.h"

namespace thallo {

// A decision that was taken on the way to a state.
struct TakenDecision {
  std::string construct;
  Site site;
  std::string label;  // of the choice
};

class FrozenSites {
 public:
  // Freezes nothing.
  FrozenSites() = default;
  // Freezes all parts of the plan but the log2(n) most expensive of n, at least one, as they were
  // decided on the way to it. Decisions about intermediates, Sums and vectors stay open, because
  // several parts share them.
  FrozenSites(const Energy& energy, const Plan& plan, const std::vector<TakenDecision>& way,
              StatePricer& pricer);

  // Returns the only offer that is left at the fork; null if all are.
  const ScheduleSpace::Offer* find(const ScheduleSpace::Fork& fork) const;
  std::size_t size() const { return labels_.size(); }

 private:
  std::map<std::pair<std::string, Site>, std::string> labels_;
};

}  // namespace thallo
