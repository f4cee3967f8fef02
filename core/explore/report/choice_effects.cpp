#include "core/explore/report/choice_effects.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/explore/measure/statistics.h"
#include "core/explore/report/effect_size.h"

namespace thallo {
namespace {

constexpr double NoTime = std::numeric_limits<double>::quiet_NaN();
// Sites that are looked for one after the other, each in what those before leave.
constexpr std::size_t MostExplaining = 8;
// What is chosen where a schedule says nothing and it is not known which sites it has.
constexpr const char* Silence = "(nothing said)";
// What is chosen where the schedule has no such site.
constexpr const char* Absence = "(does not exist)";
// The first choices of every site.
enum FirstChoice : std::size_t { Silent, Absent };

bool matters(double explained, double chance) { return explained > 0 && chance < 0.05; }

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
  }

  struct Ranked {
    std::size_t site = 0;
    std::size_t num_timed = 0;
    double explained = 0;  // of the variance as it was before anything was explained
    double chance = 1;     // of one of all sites

    bool is_significant() const { return matters(explained, chance); }
  };
  // Sites at which schedules with a time differ. First comes what explains most; what it explains
  // is taken off the times, and next comes what explains most of the rest, and so on: sites that
  // differ only because others do, which searches make many of, are left with nothing.
  std::vector<Ranked> ranked(std::span<const double> seconds) {
    constexpr std::size_t MostChoices = std::numeric_limits<std::uint16_t>::max();
    std::vector<double> values;
    for (const double time : seconds) values.push_back(std::log(time));
    add_values(values);
    std::vector<Ranked> order, rest;
    std::vector<double> variances(sites_.size());
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      const EffectSize size = effect_size(compared_at(s));
      variances[s] = size.variance;
      const bool is_shown = size.num_groups > 1 && sites_[s].choices.size() <= MostChoices;
      if (is_shown) rest.push_back({s, size.num_values});
    }
    const auto num_tested = static_cast<double>(rest.size());
    double num_spent = 0;
    while (!rest.empty()) {
      for (Ranked& its : rest) {
        const EffectSize size = effect_size(compared_at(its.site), num_spent);
        const double left = variances[its.site] > 0 ? size.variance / variances[its.site] : 0;
        its.explained = size.omega_squared * left;
        its.chance = std::min(1.0, size.chance * num_tested);
      }
      std::ranges::stable_sort(rest, std::greater(), [](const Ranked& its) {
        return std::pair(its.is_significant(), its.explained);
      });
      if (!rest.front().is_significant() || order.size() == MostExplaining) break;
      order.push_back(rest.front());
      rest.erase(rest.begin());
      num_spent += take_means_off(values, order.back().site);
      add_values(values);
    }
    order.insert(order.end(), rest.begin(), rest.end());
    return order;
  }

  std::vector<SiteEffect> effects(const std::vector<Ranked>& order) const {
    std::vector<SiteEffect> effects;
    std::vector<std::size_t> effect_of(sites_.size(), order.size());
    for (const auto& [site, num_timed, explained, chance] : order) {
      effect_of[site] = effects.size();
      SiteEffect effect;
      effect.site = sites_[site].name;
      effect.choices = sites_[site].choices;
      effect.explained = explained;
      effect.chance = chance;
      effect.num_timed = num_timed;
      for (std::size_t i = 0; i < table_.schedules.size(); ++i)
        effect.chosen.push_back(static_cast<std::uint16_t>(silent_choices_[silent_of(i)][site]));
      effects.push_back(std::move(effect));
    }
    for (std::size_t i = 0; i < table_.schedules.size(); ++i) {
      for (const std::uint32_t decision : table_.schedules[i].said) {
        const auto [site, choice] = places_[decision];
        if (effect_of[site] < order.size())
          effects[effect_of[site]].chosen[i] = static_cast<std::uint16_t>(choice);
      }
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
      for (const std::uint32_t decision : table_.schedules[i].said) {
        const auto [site, choice] = places_[decision];
        sites_[site].groups[choice].add(values[i]);
        said[its * sites_.size() + site].add(values[i]);
      }
    }
    for (std::size_t its = 0; its < all.size(); ++its) {
      if (!(all[its].count > 0)) continue;
      for (std::size_t s = 0; s < sites_.size(); ++s) {
        GroupSums rest = all[its];
        rest -= said[its * sites_.size() + s];
        if (rest.count > 0) sites_[s].groups[silent_choices_[its][s]] += rest;
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

  // From values that have the same choice at the site; says how many choices more than one there
  // are.
  double take_means_off(std::vector<double>& values, std::size_t site) const {
    const std::vector<GroupSums>& groups = sites_[site].groups;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) continue;
      std::size_t choice = silent_choices_[silent_of(i)][site];
      for (const std::uint32_t decision : table_.schedules[i].said)
        if (places_[decision].site == site) choice = places_[decision].choice;
      values[i] -= groups[choice].sum / groups[choice].count;
    }
    const auto is_made = [](const GroupSums& group) { return group.count > 0; };
    return static_cast<double>(std::ranges::count_if(groups, is_made) - 1);
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
