#include "core/explore/space/weighed_choices.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace thallo {
namespace {

struct OtherAlternative {
  std::size_t site = 0, alternative = 0;
};

// Returns the legal alternatives that are not chosen: those at the first site of every construct,
// then those at the second, and so on.
std::vector<OtherAlternative> other_alternatives(const std::vector<ChoiceSite>& sites) {
  std::map<const Construct*, std::size_t> counts;
  std::vector<std::size_t> ranks;  // of the sites within their constructs
  std::vector<OtherAlternative> others;
  for (std::size_t s = 0; s < sites.size(); ++s) {
    ranks.push_back(counts[sites[s].construct]++);
    for (std::size_t a = 0; a < sites[s].alternatives.size(); ++a)
      if (a != sites[s].chosen && sites[s].alternatives[a].legal) others.push_back({s, a});
  }
  std::ranges::stable_sort(others, {}, [&](const auto& other) { return ranks[other.site]; });
  return others;
}

// Makes the schedules in which something is decided otherwise, and prices them.
class Weighing {
 public:
  Weighing(const Energy& energy, const Schedule& schedule, const Plan& plan,
           const std::vector<ChoiceSite>& sites, const ConstructRegistry& constructs,
           const PlanPrice& price, const WeighingLimits& limits, const std::stop_token& stop)
      : energy_(energy),
        schedule_(schedule),
        plan_(plan),
        sites_(sites),
        constructs_(constructs),
        price_(price),
        limits_(limits),
        stop_(stop) {}

  Expected<WeighedChoices> run() {
    weighed_.chosen = price_.price(plan_);
    estimate_of_chosen_ = price_.estimate(plan_);
    const std::string hash = schedule_.hash(constructs_).hex();
    for (const ChoiceSite& at : sites_) {
      auto& alternatives = weighed_.sites.emplace_back(at.alternatives.size());
      if (!at.alternatives[at.chosen].legal) continue;
      alternatives[at.chosen].cost = weighed_.chosen;
      alternatives[at.chosen].schedule = schedule_;
      alternatives[at.chosen].hash = hash;
    }
    THALLO_CHECK(weigh_alternatives());
    std::set<const Construct*> placing;
    for (const ChoiceSite& at : sites_) {
      if (!std::holds_alternative<Placement>(at.editor) || !placing.insert(at.construct).second)
        continue;
      THALLO_CHECK(weigh_merges(*at.construct));
    }
    THALLO_CHECK(price());
    return std::move(weighed_);
  }

 private:
  Expected<void> weigh_alternatives() {
    std::vector<OtherAlternative> others = other_alternatives(sites_);
    if (others.size() > limits_.weighed) {
      weighed_.left_out += others.size() - limits_.weighed;
      others.resize(limits_.weighed);
    }
    for (const OtherAlternative& other : others) {
      const ChoiceSite& at = sites_[other.site];
      const Alternative& alternative = at.alternatives[other.alternative];
      THALLO_TRY(auto weighed, weigh(directives_for(energy_, sites_, at, alternative.choice)));
      weighed.changes_numerics &= !alternative.is_repeated;
      weighed_.sites[other.site][other.alternative] = std::move(weighed);
    }
    return {};
  }

  Expected<void> weigh_merges(const Construct& construct) {
    const Groups groups = groups_of(construct, sites_);
    std::size_t num_weighed = 0;
    for (std::size_t other = 1; other < groups.size(); ++other) {
      for (std::size_t into = 0; into < other; ++into) {
        if (num_weighed == limits_.weighed) {
          ++weighed_.left_out;
          continue;
        }
        ++num_weighed;
        Groups merged = groups;
        merged[into].insert(merged[into].end(), groups[other].begin(), groups[other].end());
        merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(other));
        THALLO_TRY(auto its, weigh(regroup_from(energy_, construct, sites_, merged)));
        if (its.cost)
          weighed_.merges.push_back(
              {&construct, std::move(merged), groups[into], groups[other], std::move(its)});
      }
    }
    return {};
  }

  // The cost is an estimate, for price(). If there are no directives, the reason is kept.
  Expected<WeighedAlternative> weigh(Expected<std::vector<Directive>> directives) {
    if (stop_.stop_requested()) return fail("stopped");
    WeighedAlternative its;
    if (!directives) {
      its.why_not = directives.error();
      return its;
    }
    THALLO_TRY(auto edited, edit(energy_, schedule_, *directives, constructs_));
    if (const auto has_program = price_.check(edited.plan); !has_program) {
      its.why_not = has_program.error();
      return its;
    }
    its.directives = *std::move(directives);
    its.cost = price_.estimate(edited.plan);
    its.hash = edited.schedule.hash(constructs_).hex();
    its.schedule = std::move(edited.schedule);
    its.changes_numerics = edited.plan.product_tolerance != plan_.product_tolerance;
    return its;
  }

  // Replaces estimates by prices, the least first, those of low-level decisions last: these are
  // many, and their estimates are close.
  Expected<void> price() {
    std::vector<Unpriced> others;
    const auto add = [&](WeighedAlternative& its, const Construct& construct) {
      if (!its.cost) return;
      const double seconds = its.cost->seconds;
      if (!its.directives.empty() && differs(seconds, estimate_of_chosen_.seconds)) {
        others.push_back({construct.stage() == Stage::LowLevel, seconds, &its});
      } else {
        its.cost = weighed_.chosen;
      }
    };
    for (std::size_t s = 0; s < sites_.size(); ++s)
      for (WeighedAlternative& its : weighed_.sites[s]) add(its, *sites_[s].construct);
    for (WeighedMerge& merge : weighed_.merges) add(merge.its, *merge.construct);
    std::ranges::stable_sort(
        others, {}, [](const Unpriced& its) { return std::pair(its.is_low_level, its.seconds); });
    std::map<std::string_view, PlanCost> prices;  // by hash
    std::size_t num_low_level = 0;
    for (const auto& [is_low_level, seconds, its] : others) {
      if (!prices.contains(its->hash) && prices.size() < limits_.priced &&
          (!is_low_level || num_low_level < limits_.priced_low_level)) {
        if (is_low_level) ++num_low_level;
        if (stop_.stop_requested()) return fail("stopped");
        THALLO_TRY(const auto plan, make_plan(energy_, its->schedule, constructs_));
        prices[its->hash] = price_.price(plan);
      }
      const auto found = prices.find(its->hash);
      its->cost = found == prices.end() ? scaled(*its->cost) : found->second;
    }
    return {};
  }

  struct Unpriced {
    bool is_low_level = false;
    double seconds = 0;
    WeighedAlternative* its = nullptr;
  };
  static bool differs(double seconds, double other) {
    if (!std::isfinite(seconds) || !std::isfinite(other)) return seconds != other;
    return std::abs(seconds - other) > SmallestGain * other;
  }

  PlanCost scaled(PlanCost estimate) const {
    if (!std::isfinite(estimate_of_chosen_.seconds) || !std::isfinite(weighed_.chosen.seconds))
      return estimate;
    const double scale = weighed_.chosen.seconds / estimate_of_chosen_.seconds;
    return {.seconds = estimate.seconds * scale,
            .linear = estimate.linear * scale,
            .bytes = estimate.bytes * (weighed_.chosen.bytes / estimate_of_chosen_.bytes)};
  }

  const Energy& energy_;
  const Schedule& schedule_;
  const Plan& plan_;
  const std::vector<ChoiceSite>& sites_;
  const ConstructRegistry& constructs_;
  const PlanPrice& price_;
  const WeighingLimits& limits_;
  const std::stop_token& stop_;
  PlanCost estimate_of_chosen_;
  WeighedChoices weighed_;
};

}  // namespace

PlanPrice price_by(PlanPricer& pricer) {
  const auto cost = [&pricer](const Prediction& prediction) {
    return PlanCost{
        .seconds = prediction.nonlinear_iteration,
        .linear = prediction.linear_iteration * pricer.options().counts.linear_iterations,
        .bytes = prediction.bytes};
  };
  return {
      .price = [=, &pricer](const Plan& plan) { return cost(pricer.price(plan).prediction); },
      .estimate = [=, &pricer](const Plan& plan) { return cost(pricer.estimate(plan).prediction); },
      .check =
          [&pricer](const Plan& plan) {
            return check_program(pricer.energy(), plan, pricer.options().program);
          }};
}

WeighingLimits weighing_limits(const Energy& energy, std::size_t sites) {
  constexpr std::size_t MostWork = 5'000'000;
  constexpr std::size_t MostNodes = 60'000;
  constexpr std::size_t MostNodesOfLowLevel = 10'000;
  // A program of no residuals takes as long as this.
  const std::size_t nodes = std::max<std::size_t>(energy.graph().size(), 200);
  return {.weighed = MostWork / std::max<std::size_t>(sites * sites, 1),
          .priced = MostNodes / nodes,
          .priced_low_level = MostNodesOfLowLevel / nodes};
}

Expected<WeighedChoices> weigh_choices(const Energy& energy, const Schedule& schedule,
                                       const std::vector<ChoiceSite>& sites,
                                       const ConstructRegistry& constructs, const PlanPrice& price,
                                       const WeighingLimits& limits, const std::stop_token& stop) {
  THALLO_TRY(const auto plan, make_plan(energy, schedule, constructs));
  return Weighing(energy, schedule, plan, sites, constructs, price, limits, stop).run();
}

std::vector<const WeighedAlternative*> next_moves(const WeighedChoices& weighed) {
  const double least = weighed.chosen.seconds * (1 - SmallestGain);
  std::vector<const WeighedAlternative*> moves;
  const auto add = [&](const WeighedAlternative& its) {
    if (its.cost && its.cost->seconds < least) moves.push_back(&its);
  };
  for (const auto& alternatives : weighed.sites) std::ranges::for_each(alternatives, add);
  for (const WeighedMerge& merge : weighed.merges) add(merge.its);
  std::ranges::stable_sort(moves, {}, [](const auto* its) { return its->cost->seconds; });
  std::set<std::string_view> seen;
  std::erase_if(moves, [&](const auto* its) { return !seen.insert(its->hash).second; });
  return moves;
}

}  // namespace thallo
