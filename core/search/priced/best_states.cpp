#include "core/search/priced/best_states.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace thallo {

double BestStates::worst() const {
  if (states_.size() < most_) return std::numeric_limits<double>::infinity();
  return std::prev(states_.end())->first.seconds;
}

void BestStates::add(double seconds, const std::vector<Directive>& directives) {
  if (!std::isfinite(seconds) || !would_keep(seconds)) return;
  const Key key{seconds, directives.size(), num_added_++};
  for (auto same = states_.lower_bound({seconds, 0, 0});
       same != states_.end() && same->first.seconds == seconds;) {
    if (same->second == directives) return;
    if (!distinct_prices_) {
      ++same;
    } else if (same->first.num_decisions <= key.num_decisions) {
      return;
    } else {
      same = states_.erase(same);
    }
  }
  states_.emplace(key, directives);
  if (states_.size() > most_) states_.erase(std::prev(states_.end()));
}

std::vector<Proposal> BestStates::proposals(const SearchSpace& space) const {
  std::vector<Proposal> result;
  for (const auto& [key, directives] : states_) {
    auto schedule = normal_form(space.energy, Schedule(directives), space.constructs);
    if (!schedule) continue;  // a limit forbids it
    auto index = index_in(space.indexed, *schedule);
    Proposal proposal = Proposal::of(*std::move(schedule), space.constructs, std::move(index));
    if (space.fits(proposal)) result.push_back(std::move(proposal));
  }
  return result;
}

}  // namespace thallo
