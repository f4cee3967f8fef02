#include "core/explore/space/groups.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace thallo {
namespace {

const std::vector<std::string>& group_with(const Groups& groups, const std::string& item) {
  const auto found = std::ranges::find_if(groups, [&](const std::vector<std::string>& group) {
    return std::ranges::find(group, item) != group.end();
  });
  THALLO_ASSERT(found != groups.end(), "'{}' is in no group", item);
  return *found;
}

// Returns the place that joins the earlier items of the group, or the place that makes a new group
// if there are none. Null if there is no such place.
const Placement::Place* find_place(const Placement& placement,
                                   const std::vector<std::string>& earlier) {
  const auto found = std::ranges::find_if(placement.places, [&](const Placement::Place& place) {
    if (earlier.empty()) return place.with.empty();
    return std::ranges::find(place.with, earlier.front()) != place.with.end();
  });
  return found == placement.places.end() ? nullptr : &*found;
}

// Returns one directive for each site of the construct.
Expected<std::vector<Directive>> regroup(const Energy& energy, const Construct& construct,
                                         const std::vector<ChoiceSite>& sites,
                                         const Groups& wanted) {
  std::vector<Directive> directives;
  const auto first = std::ranges::find(sites, &construct, &ChoiceSite::construct);
  if (first == sites.end()) return directives;
  Plan plan = *first->plan;
  std::map<const std::vector<std::string>*, std::vector<std::string>> placed;
  for (const Site& site : construct.sites(energy, plan)) {
    std::vector<std::string>& earlier = placed[&group_with(wanted, site.name)];
    const Editor editor = construct.editor(energy, plan, site);
    const auto& placement = std::get<Placement>(editor);
    const Placement::Place* place = find_place(placement, earlier);
    if (place == nullptr) {
      return fail("{}: {} cannot be {}", construct.name(), site.name,
                  earlier.empty() ? "in a group of its own"
                                  : fmt::format("with {}", fmt::join(earlier, ", ")));
    }
    THALLO_CHECK(construct.check(energy, plan, site, place->choice));
    // The first place is the default, which the plan has already.
    if (place != &placement.places.front()) construct.apply(energy, plan, site, place->choice);
    directives.push_back({std::string(construct.name()), site, place->choice});
    earlier.push_back(site.name);
  }
  return directives;
}

}  // namespace

Groups groups_of(const Construct& construct, const std::vector<ChoiceSite>& sites) {
  Groups groups;
  for (const ChoiceSite& at : sites) {
    if (at.construct != &construct) continue;
    const auto& placement = std::get<Placement>(at.editor);
    const Placement::Place* place = placement.find(at.alternatives[at.chosen].choice);
    const auto group = std::ranges::find_if(groups, [&](const std::vector<std::string>& items) {
      return std::ranges::find(place->with, items.front()) != place->with.end();
    });
    if (group == groups.end()) {
      groups.push_back({at.site.name});
    } else {
      group->push_back(at.site.name);
    }
  }
  return groups;
}

Groups moved(Groups groups, const std::string& item, const Placement::Place& to) {
  for (std::vector<std::string>& group : groups) std::erase(group, item);
  const auto target = std::ranges::find_if(groups, [&](const std::vector<std::string>& group) {
    return !to.with.empty() && std::ranges::find(group, to.with.front()) != group.end();
  });
  if (target != groups.end())
    target->push_back(item);
  else
    groups.push_back({item});
  std::erase_if(groups, [](const std::vector<std::string>& group) { return group.empty(); });
  return groups;
}

Expected<std::vector<Directive>> regroup_from(const Energy& energy, const Construct& construct,
                                              const std::vector<ChoiceSite>& sites,
                                              const Groups& wanted) {
  THALLO_TRY(auto all, regroup(energy, construct, sites, wanted));
  std::erase_if(all, [&](const Directive& directive) {
    const auto its = std::ranges::find_if(sites, [&](const ChoiceSite& other) {
      return other.construct == &construct && other.site == directive.site;
    });
    return its != sites.end() && its->chosen == 0 &&
           its->alternatives.front().choice == directive.choice;
  });
  return all;
}

Expected<std::vector<Directive>> directives_for(const Energy& energy,
                                                const std::vector<ChoiceSite>& sites,
                                                const ChoiceSite& at, const Choice& choice) {
  const auto* placement = std::get_if<Placement>(&at.editor);
  const Placement::Place* place = placement != nullptr ? placement->find(choice) : nullptr;
  if (place == nullptr)
    return std::vector{Directive{std::string(at.construct->name()), at.site, choice}};
  return regroup_from(energy, *at.construct, sites,
                      moved(groups_of(*at.construct, sites), at.site.name, *place));
}

}  // namespace thallo
