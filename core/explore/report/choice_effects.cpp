#include "core/explore/report/choice_effects.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/explore/measure/statistics.h"
#include "core/explore/report/partial_effect.h"

namespace thallo {
namespace {

constexpr double NoTime = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t MostSchedules = 4096;  // that are compared
constexpr std::size_t MostSites = 96;        // that are compared
constexpr std::size_t MostGiven = 96;        // alternatives of the choices they are compared given
// What is chosen where a schedule says nothing and it is not known which sites it has.
constexpr const char* Silence = "(nothing said)";
// What is chosen where the schedule has no such site.
constexpr const char* Absence = "(does not exist)";
// The first choices of every site.
enum FirstChoice : std::size_t { Silent, Absent };

bool matters(double explained, double chance) { return explained > 0 && chance < 0.05; }

// The sums over the values of a group that tell groups apart.
struct GroupSums {
  double count = 0, sum = 0, squares = 0;

  void add(double value) { add({1, value, value * value}, 1); }
  void add(const GroupSums& other, double times) {
    count += times * other.count;
    sum += times * other.sum;
    squares += times * other.squares;
  }
};

// One-way analysis of variance.
struct EffectSize {
  // Omega squared, the share of the variance that the groups explain. In a sample, even random
  // groups explain some share, which grows with their number (eta squared includes it). Omega
  // squared corrects for that, and is 0 if nothing remains.
  double omega_squared = 0;
  std::size_t num_values = 0;
  std::size_t num_groups = 0;  // groups that have values
};

EffectSize effect_size(std::span<const GroupSums> groups) {
  EffectSize size;
  GroupSums all;
  double of_groups = 0;
  for (const GroupSums& group : groups) {
    if (!(group.count > 0)) continue;
    ++size.num_groups;
    all.add(group, 1);
    of_groups += group.sum * group.sum / group.count;
  }
  size.num_values = static_cast<std::size_t>(all.count);
  if (size.num_groups < 2) return size;
  const double free_between = static_cast<double>(size.num_groups - 1);
  const double free_within = all.count - static_cast<double>(size.num_groups);
  const double of_all = all.sum * all.sum / all.count;
  // What is left of rounding is no variance.
  const double least = 1e-12 * all.squares;
  const double total = all.squares - of_all;
  if (!(total > least) || !(free_within > 0)) return size;
  const double between = std::clamp(of_groups - of_all, 0.0, total);
  const double within = total - between > least ? total - between : 0;
  const double noise = within / free_within;
  size.omega_squared = std::clamp((between - free_between * noise) / (total + noise), 0.0, 1.0);
  return size;
}

// What the schedules choose at each site, and how their times go with it.
class EffectTable {
 public:
  explicit EffectTable(const DecisionTable& table) : table_(table) {
    std::map<std::pair<std::string, std::string>, std::size_t> numbers;
    for (const auto& [construct, site, choice] : table.different) {
      const auto [its, is_new] = numbers.emplace(std::pair(construct, site), sites_.size());
      if (is_new) sites_.push_back({fmt::format("{}:{}", site, construct), {Silence, Absence}, {}});
      std::vector<std::string>& choices = sites_[its->second].choices;
      places_.push_back({its->second, choices.size()});
      choices.push_back(choice);
    }
    for (const std::vector<std::uint32_t>& defaults : table.site_sets) {
      auto& choices = silent_choices_.emplace_back(sites_.size(), Absent);
      for (const std::uint32_t decision : defaults) {
        choices[places_[decision].site] = places_[decision].choice;
        sites_[places_[decision].site].is_known = true;
      }
    }
    silent_choices_.emplace_back(sites_.size(), Silent);
    for (const DecisionTable::Schedule& schedule : table.schedules)
      for (const std::uint32_t fact : schedule.facts) sites_[places_[fact].site].is_known = true;
  }

  struct Ranked {
    std::size_t site = 0;
    std::size_t num_timed = 0;
    double alone = 0;
    PartialEffect partial = {};  // its chance is of one of all sites
    std::size_t num_compared = 0;
    bool is_everywhere = false;  // true if all schedules that are compared have the site
    std::vector<std::string> together = {};

    bool is_significant() const { return matters(partial.explained, partial.chance); }
  };
  // Sites at which schedules with a time differ, those that explain most first.
  std::vector<Ranked> ranked(std::span<const double> seconds) {
    constexpr std::size_t MostChoices = std::numeric_limits<std::uint16_t>::max();
    std::vector<double> values;
    for (const double time : seconds) values.push_back(std::log(time));
    add_values(values);
    std::vector<Ranked> order;
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      const EffectSize size = effect_size(compared_at(s));
      if (size.num_groups > 1 && sites_[s].choices.size() <= MostChoices)
        order.push_back({s, size.num_values, size.omega_squared});
    }
    std::ranges::stable_sort(order, std::greater(), &Ranked::alone);
    compare(values, order);
    std::ranges::stable_sort(order, std::greater(), [](const Ranked& its) {
      return std::tuple(its.is_significant(), its.is_everywhere, its.partial.explained);
    });
    return order;
  }

  std::vector<SiteEffect> effects(const std::vector<Ranked>& order) const {
    std::vector<SiteEffect> effects;
    std::vector<std::size_t> effect_of(sites_.size(), order.size());
    for (const Ranked& its : order) {
      const std::size_t site = its.site;
      effect_of[site] = effects.size();
      SiteEffect effect;
      effect.site = sites_[site].name;
      effect.choices = sites_[site].choices;
      effect.explained = its.partial.explained;
      effect.alone = its.alone;
      effect.chance = its.partial.chance;
      effect.together = its.together;
      effect.num_compared = its.num_compared;
      effect.num_timed = its.num_timed;
      for (std::size_t i = 0; i < table_.schedules.size(); ++i)
        effect.chosen.push_back(static_cast<std::uint16_t>(silent_choices_[silent_of(i)][site]));
      effects.push_back(std::move(effect));
    }
    for (std::size_t i = 0; i < table_.schedules.size(); ++i) {
      for_each_known(i, [&](std::size_t site, std::size_t choice) {
        if (effect_of[site] < order.size())
          effects[effect_of[site]].chosen[i] = static_cast<std::uint16_t>(choice);
      });
    }
    return effects;
  }

 private:
  struct SiteChoices {
    std::string name;
    std::vector<std::string> choices;  // FirstChoice, then those of decisions
    std::vector<GroupSums> groups;     // of each choice
    bool is_known = false;  // True if it is known of some schedules that they have the site
  };
  struct Place {
    std::size_t site, choice;
  };

  // Sums over the values of schedules, NaN where there is none, by what they choose.
  void add_values(std::span<const double> values) {
    for (SiteChoices& site : sites_) site.groups.assign(site.choices.size(), {});
    // Of schedules that have the same sites; of those the ones that say something of a site.
    std::vector<GroupSums> all(silent_choices_.size());
    std::vector<GroupSums> said(silent_choices_.size() * sites_.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) continue;
      const std::size_t its = silent_of(i);
      all[its].add(values[i]);
      for_each_known(i, [&](std::size_t site, std::size_t choice) {
        sites_[site].groups[choice].add(values[i]);
        said[its * sites_.size() + site].add(values[i]);
      });
    }
    for (std::size_t its = 0; its < all.size(); ++its) {
      if (!(all[its].count > 0)) continue;
      for (std::size_t s = 0; s < sites_.size(); ++s) {
        GroupSums rest = all[its];
        rest.add(said[its * sites_.size() + s], -1);
        if (rest.count > 0) sites_[s].groups[silent_choices_[its][s]].add(rest, 1);
      }
    }
  }

  // The choices at a site by schedules that have it.
  std::vector<GroupSums> compared_at(std::size_t site) const {
    std::vector<GroupSums> groups = sites_[site].groups;
    groups[Absent] = {};
    if (sites_[site].is_known) groups[Silent] = {};
    return groups;
  }

  // Calls the function with the site and the choice of what the schedule says and of its facts.
  template <class Function>
  void for_each_known(std::size_t schedule, const Function& function) const {
    for (const auto* known : {&table_.schedules[schedule].said, &table_.schedules[schedule].facts})
      for (const std::uint32_t decision : *known)
        function(places_[decision].site, places_[decision].choice);
  }

  // What the schedules choose at each of the sites, numbered in the order of their appearance.
  std::vector<Levels> levels_of(const std::vector<std::size_t>& schedules,
                                const std::vector<Ranked>& compared) const {
    constexpr std::size_t NotCompared = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> number_of(sites_.size(), NotCompared);
    for (std::size_t k = 0; k < compared.size(); ++k) number_of[compared[k].site] = k;
    std::vector<Levels> levels(compared.size(), Levels(schedules.size(), NoLevel));
    std::vector<std::map<std::size_t, std::uint32_t>> numbers(compared.size());
    std::vector<std::size_t> chosen(compared.size());
    for (std::size_t row = 0; row < schedules.size(); ++row) {
      for (std::size_t k = 0; k < compared.size(); ++k)
        chosen[k] = silent_choices_[silent_of(schedules[row])][compared[k].site];
      for_each_known(schedules[row], [&](std::size_t site, std::size_t choice) {
        if (number_of[site] != NotCompared) chosen[number_of[site]] = choice;
      });
      for (std::size_t k = 0; k < compared.size(); ++k) {
        if (chosen[k] == Absent) continue;
        if (chosen[k] == Silent && sites_[compared[k].site].is_known) continue;
        const auto next = static_cast<std::uint32_t>(numbers[k].size());
        levels[k][row] = numbers[k].try_emplace(chosen[k], next).first->second;
      }
    }
    return levels;
  }

  // Finds what each of the sites explains given the others, and merges those that cannot be told
  // apart. The sites come in the order of what they explain alone.
  void compare(std::span<const double> values, std::vector<Ranked>& order) const {
    std::vector<std::size_t> timed;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isnan(values[i])) timed.push_back(i);
    const std::size_t stride = (timed.size() + MostSchedules - 1) / MostSchedules;
    std::vector<std::size_t> schedules;
    std::vector<double> times;
    for (std::size_t i = 0; i < timed.size(); i += stride) {
      schedules.push_back(timed[i]);
      times.push_back(values[timed[i]]);
    }
    std::vector<Ranked> rest;
    if (order.size() > MostSites) {
      rest.assign(order.begin() + MostSites, order.end());
      order.resize(MostSites);
    }
    const std::vector<Levels> all = levels_of(schedules, order);
    std::map<Levels, std::size_t> first_with;
    std::vector<Ranked> different;
    std::vector<const Levels*> levels;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const auto [its, is_new] = first_with.emplace(all[k], different.size());
      if (is_new) {
        different.push_back(order[k]);
        levels.push_back(&all[k]);
      } else {
        different[its->second].together.push_back(sites_[order[k].site].name);
      }
    }
    const std::vector<std::size_t> given = given_of(levels, schedules.size());
    for (std::size_t k = 0; k < different.size(); ++k) {
      std::vector<const Levels*> others;
      for (const std::size_t other : given)
        if (other != k) others.push_back(levels[other]);
      Ranked& its = different[k];
      its.partial = partial_effect(times, *levels[k], others);
      its.partial.chance =
          std::min(1.0, its.partial.chance * static_cast<double>(different.size()));
      its.num_compared =
          schedules.size() - static_cast<std::size_t>(std::ranges::count(*levels[k], NoLevel));
      its.is_everywhere = its.num_compared == schedules.size();
    }
    different.insert(different.end(), rest.begin(), rest.end());
    order = std::move(different);
  }

  // The first of those that all schedules have, as many as leave enough schedules to compare.
  static std::vector<std::size_t> given_of(const std::vector<const Levels*>& levels,
                                           std::size_t num_schedules) {
    std::vector<std::size_t> given;
    std::size_t num_free = 0;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      if (std::ranges::find(*levels[k], NoLevel) != levels[k]->end()) continue;
      const std::size_t its = std::ranges::max(*levels[k]);
      if (num_free + its > std::min(MostGiven, num_schedules / 2)) continue;
      num_free += its;
      given.push_back(k);
    }
    return given;
  }

  // What a schedule chooses where it says nothing, into silent_choices_.
  std::size_t silent_of(std::size_t schedule) const {
    return table_.schedules[schedule].sites.value_or(table_.site_sets.size());
  }

  const DecisionTable& table_;
  std::vector<SiteChoices> sites_;
  std::vector<Place> places_;  // of each different decision
  // By site, for each set of sites; the last where it is not known which sites a schedule has.
  std::vector<std::vector<std::size_t>> silent_choices_;
};

// Choices by their medians, those without a time after them, and last where there is no such site.
// Choices that no schedule made are left out.
void sort_choices(SiteEffect& effect, std::span<const double> seconds) {
  std::vector<std::vector<double>> times(effect.choices.size());
  std::vector<bool> is_made(effect.choices.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    is_made[effect.chosen[i]] = true;
    if (!std::isnan(seconds[i])) times[effect.chosen[i]].push_back(seconds[i]);
  }
  std::vector<std::size_t> order;
  std::vector<double> medians;
  for (std::size_t k = 0; k < times.size(); ++k) {
    medians.push_back(times[k].empty() ? std::numeric_limits<double>::infinity()
                                       : median(times[k]));
    if (is_made[k]) order.push_back(k);
  }
  std::ranges::stable_sort(order, {},
                           [&](std::size_t k) { return std::pair(k == Absent, medians[k]); });
  std::vector<std::uint16_t> place(times.size());
  std::vector<std::string> choices;
  for (const std::size_t k : order) {
    place[k] = static_cast<std::uint16_t>(choices.size());
    choices.push_back(std::move(effect.choices[k]));
    effect.medians.push_back(times[k].empty() ? NoTime : medians[k]);
    effect.num_made.push_back(times[k].size());
  }
  effect.choices = std::move(choices);
  for (std::uint16_t& chosen : effect.chosen) chosen = place[chosen];
}

}  // namespace

bool SiteEffect::is_significant() const { return matters(explained, chance); }

std::vector<SiteEffect> effects_of_choices(const DecisionTable& table,
                                           std::span<const double> seconds, std::size_t most) {
  // Nobody knows what a schedule chooses that cannot be read.
  std::vector<double> known(seconds.begin(), seconds.end());
  for (std::size_t i = 0; i < known.size(); ++i)
    if (!table.schedules[i].is_known) known[i] = NoTime;
  EffectTable choices(table);
  auto order = choices.ranked(known);
  if (order.size() > most) order.resize(most);
  std::vector<SiteEffect> effects = choices.effects(order);
  for (SiteEffect& effect : effects) sort_choices(effect, known);
  return effects;
}

}  // namespace thallo
