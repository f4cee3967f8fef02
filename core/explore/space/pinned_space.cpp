#include "core/explore/space/pinned_space.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/option_text.h"
#include "core/base/seconds_since.h"
#include "core/explore/space/explored_space.h"
#include "core/explore/space/space_id.h"

namespace thallo {
namespace {

// To look at a schedule takes some 50 microseconds.
constexpr int MostLooked = 1'000'000;

// Finds out which schedules keep pins, and remembers of each pin what is there instead.
class Keeping {
 public:
  Keeping(const Pins& pins, const Energy& energy, const ConstructRegistry& constructs)
      : pins_(pins), energy_(energy), constructs_(constructs) {
    for (const Directive& pin : pins.directives()) seen_.push_back({.pin = pin});
  }

  bool keeps(const Schedule& schedule) {
    bool keeps_all = true;
    bool is_known = true;
    for (Seen& its : seen_) {
      const Directive* said = find(schedule, its.pin);
      if (said == nullptr) {
        // It has the default there, or no such site.
        is_known = false;
        its.is_kept = its.is_kept || Pins({its.pin}).are_kept_by(schedule, energy_, constructs_);
      } else if (said->choice.label == its.pin.choice.label) {
        its.is_kept = true;
      } else {
        keeps_all = false;
        its.others.insert(constructs_.find(said->construct)->print(*said));
      }
    }
    return keeps_all && (is_known || pins_.are_kept_by(schedule, energy_, constructs_));
  }

  // Says why no schedule keeps the pins.
  Diagnostic why_none(const std::string& space) const {
    for (const Seen& its : seen_) {
      if (its.is_kept) continue;
      return {fmt::format("no schedule of space {} has {}, which is pinned", space,
                          constructs_.find(its.pin.construct)->print(its.pin)),
              {},
              {its.others.begin(), its.others.end()}};
    }
    return {fmt::format("no schedule of space {} keeps all pins together: {}", space,
                        fmt::join(pins_.texts(constructs_), ", ")),
            {},
            {}};
  }

 private:
  struct Seen {
    Directive pin;
    bool is_kept = false;               // true if some schedule keeps it
    std::set<std::string> others = {};  // what other schedules decide at its site
  };

  static const Directive* find(const Schedule& schedule, const Directive& place) {
    const auto& all = schedule.directives();
    const auto found = std::ranges::find_if(all, [&](const Directive& its) {
      return its.construct == place.construct && its.site == place.site;
    });
    return found != all.end() ? &*found : nullptr;
  }

  const Pins& pins_;
  const Energy& energy_;
  const ConstructRegistry& constructs_;
  std::vector<Seen> seen_;
};

}  // namespace

Expected<PinnedSpace> PinnedSpace::make(const IndexedSpace& all, const std::string& name,
                                        const Pins& pins, const Energy& energy,
                                        const ConstructRegistry& constructs,
                                        const CountLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  const auto too_large = [&](const std::string& looked) {
    return fail(
        "space {} has {} schedules, of which {} are looked through for those that keep the pins: "
        "choose {}, which goes around pins",
        name, all.size().str(), looked, option_text("space", FullSpaceName));
  };
  if (all.size() > MostLooked) return too_large(fmt::format("{} at most", MostLooked));
  PinnedSpace space(all, constructs);
  Keeping keeping(pins, energy, constructs);
  for (BigCount number = 0; number < all.size(); ++number) {
    if (seconds_since(start) > limits.max_seconds)
      return too_large(fmt::format("{} in {} s", number.str(), limits.max_seconds));
    if (keeping.keeps(all.schedule(number))) space.numbers_.push_back(number);
  }
  if (space.numbers_.empty()) return fail(keeping.why_none(name));
  space.size_ = space.numbers_.size();
  space.id_ = pinned_space_id(all.id(), pins, constructs);
  return space;
}

Schedule PinnedSpace::schedule(const BigCount& index) const {
  THALLO_ASSERT(index >= 0 && index < size_, "schedule {} of {}", index.str(), size_.str());
  return all_->schedule(numbers_[static_cast<std::size_t>(index)]);
}

std::optional<BigCount> PinnedSpace::index_of(const Schedule& schedule) const {
  const auto number = all_->index_of(schedule);
  if (!number) return std::nullopt;
  const auto found = std::ranges::lower_bound(numbers_, *number);
  if (found == numbers_.end() || *found != *number) return std::nullopt;
  return BigCount(found - numbers_.begin());
}

}  // namespace thallo
