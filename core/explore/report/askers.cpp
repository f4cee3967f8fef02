// Every question is answered by trying a smaller schedule: drop some directives, make the plan of
// the rest, and see whether the thing is still there. A directive can be illegal without another
// one (a storage format without the strategy that stores something), so dropping one may drop
// others too. The things of every tried schedule are cached, since neighboring questions try the
// same schedules again.

#include "core/explore/report/askers.h"

#include <algorithm>
#include <iterator>
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

  Schedule of(const Directives& kept) const {
    std::vector<Directive> directives;
    for (const std::size_t i : kept) directives.push_back(schedule_.directives()[i]);
    return Schedule(std::move(directives));
  }
  Expected<Plan> plan(const Directives& kept) const {
    return make_plan(energy_, of(kept), constructs_);
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
  const Directives& without(const Directives& kept, std::size_t left_out) {
    const auto [found, is_new] = without_.try_emplace({kept, left_out});
    Directives& fewer = found->second;
    if (!is_new) return fewer;
    std::ranges::remove_copy(kept, std::back_inserter(fewer), left_out);
    const auto edited = edit(energy_, of(fewer), {}, constructs_);
    THALLO_ASSERT(edited.has_value(), "{}", edited.error().message());
    for (const EditedSchedule::Dropped& illegal : edited->dropped) {
      std::erase_if(fewer,
                    [&](std::size_t i) { return schedule_.directives()[i] == illegal.directive; });
    }
    return fewer;
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
  const Directives& least_with(const std::set<std::size_t>& directives) {
    const auto [found, is_new] = least_with_.try_emplace(directives, all_);
    Directives& kept = found->second;
    if (is_new) drop(kept, 0, all_.size(), directives);
    return kept;
  }

  // Drops those of [begin, end), all at once or else half by half from the last on, that are not
  // wanted and that no other one needs to be legal.
  void drop(Directives& kept, std::size_t begin, std::size_t end,
            const std::set<std::size_t>& wanted) const {
    Directives fewer = kept;
    std::erase_if(fewer,
                  [&](std::size_t i) { return i >= begin && i < end && !wanted.contains(i); });
    if (fewer.size() == kept.size()) return;
    if (plan(fewer)) {
      kept = std::move(fewer);
    } else if (end - begin > 1) {
      const std::size_t middle = begin + (end - begin) / 2;
      drop(kept, middle, end, wanted);
      drop(kept, begin, middle, wanted);
    }
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
  std::map<std::pair<Directives, std::size_t>, Directives> without_;
  std::map<std::set<std::size_t>, Directives> least_with_;
};

}  // namespace

std::vector<std::vector<std::size_t>> find_askers(const Energy& energy, const Schedule& schedule,
                                                  const ConstructRegistry& constructs,
                                                  const ThingsOf& things_of) {
  return AskerSearch(energy, schedule, constructs, things_of).run();
}

}  // namespace thallo
