// Every question is answered by trying a smaller schedule: drop some directives, make the plan of
// the rest, and see whether the thing is still there. A directive can be illegal without another
// one (a storage format without the strategy that stores something), so dropping one may drop
// others too. The things of every tried schedule are cached, since neighboring questions try the
// same schedules again.

#include "core/explore/report/askers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/base/error.h"

namespace thallo {
namespace {

using Directives = std::vector<std::size_t>;  // ascending indices into schedule.directives()

class AskerSearch {
 public:
  AskerSearch(const Energy& energy, const Schedule& schedule, const ConstructRegistry& constructs,
              const ThingsOf& things_of)
      : energy_(energy),
        schedule_(schedule),
        constructs_(constructs),
        things_of_(things_of),
        all_(schedule.directives().size()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
  }

  std::vector<std::vector<std::size_t>> run() {
    std::vector<std::vector<std::size_t>> askers;
    for (const Thing& thing : things(all_)) {
      if (has({}, thing)) {
        askers.emplace_back();
        continue;
      }
      const std::set<std::size_t> found = askers_of(thing);
      askers.emplace_back(found.begin(), found.end());
    }
    return askers;
  }

 private:
  struct Thing {
    std::string name;
    int number = 0;  // counts the things of this name from 0
    friend auto operator<=>(const Thing&, const Thing&) = default;
  };

  Expected<Plan> plan(const Directives& kept) const {
    std::vector<Directive> directives;
    for (const std::size_t i : kept) directives.push_back(schedule_.directives()[i]);
    return make_plan(energy_, Schedule(std::move(directives)), constructs_);
  }

  const std::vector<Thing>& things(const Directives& kept) {
    const auto known = things_.find(kept);
    if (known != things_.end()) return known->second;
    const Expected<Plan> made = plan(kept);
    THALLO_ASSERT(made.has_value(), "{}", made.error().message());
    std::map<std::string, int> counts;
    std::vector<Thing> result;
    for (const std::string& name : things_of_(*made)) result.push_back({name, counts[name]++});
    return things_.emplace(kept, std::move(result)).first->second;
  }
  bool has(const Directives& kept, const Thing& thing) {
    return std::ranges::find(things(kept), thing) != things(kept).end();
  }

  // Starts with the directives that the thing needs. If these alone do not produce the thing, adds
  // each single directive that produces it together with them, with whatever that directive needs.
  // If no single one does, returns the directives that the thing needs within the schedule of
  // least_for().
  std::set<std::size_t> askers_of(const Thing& thing) {
    const std::set<std::size_t> needed = needed_in(all_, thing);
    if (has(least_with(needed), thing)) return needed;
    std::set<std::size_t> found = needed;
    for (const std::size_t i : all_) {
      std::set<std::size_t> with = needed;
      if (with.insert(i).second) found.merge(needed_in(least_with(with), thing));
    }
    return found == needed ? needed_in(least_for(thing), thing) : found;
  }

  // Returns `kept` without `left_out`, and without the directives that are illegal then.
  Directives without(Directives kept, std::size_t left_out) const {
    std::erase(kept, left_out);
    if (plan(kept)) return kept;
    Directives legal;
    for (const std::size_t i : kept) {
      legal.push_back(i);
      if (!plan(legal)) legal.pop_back();
    }
    return legal;
  }

  // Returns the directives of schedule `kept` whose removal removes the thing; none if `kept` does
  // not have it.
  std::set<std::size_t> needed_in(const Directives& kept, const Thing& thing) {
    std::set<std::size_t> needed;
    if (!has(kept, thing)) return needed;
    for (const std::size_t i : kept) {
      if (!has(without(kept, i), thing)) needed.insert(i);
    }
    return needed;
  }

  // Returns the given directives and those that they need to be legal.
  Directives least_with(const std::set<std::size_t>& directives) const {
    Directives kept = all_;
    for (std::size_t i = all_.size(); i-- > 0;) {
      if (directives.contains(i)) continue;
      Directives fewer = kept;
      std::erase(fewer, i);
      if (plan(fewer)) kept = std::move(fewer);
    }
    return kept;
  }

  // Finds a small schedule that has the thing: drops each directive in turn if the thing remains.
  Directives least_for(const Thing& thing) {
    Directives kept = all_;
    for (const std::size_t i : all_) {
      const Directives fewer = without(kept, i);
      if (has(fewer, thing)) kept = fewer;
    }
    return kept;
  }

  const Energy& energy_;
  const Schedule& schedule_;
  const ConstructRegistry& constructs_;
  const ThingsOf& things_of_;
  Directives all_;
  std::map<Directives, std::vector<Thing>> things_;  // keyed by the schedules tried so far
};

}  // namespace

std::vector<std::vector<std::size_t>> find_askers(const Energy& energy, const Schedule& schedule,
                                                  const ConstructRegistry& constructs,
                                                  const ThingsOf& things_of) {
  return AskerSearch(energy, schedule, constructs, things_of).run();
}

}  // namespace thallo
