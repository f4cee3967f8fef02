#include "core/explore/space/guide.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace thallo {

std::string text_of(const std::vector<Directive>& directives, const ConstructRegistry& constructs) {
  std::string text;
  for (const Directive& directive : directives) {
    if (!text.empty()) text += ' ';
    text += constructs.find(directive.construct)->print(directive);
  }
  return text;
}

namespace {

// Finds decisions on the way to a faster schedule.
class Guide {
 public:
  Guide(const Energy& energy, const ConstructRegistry& constructs, const PlanPrice& price,
        const GuideOptions& options, std::stop_token stop)
      : energy_(energy),
        constructs_(constructs),
        price_(price),
        options_(options),
        stop_(std::move(stop)) {}

  // Returns the best single decision or, if none saves enough, the best two. Empty if these do not
  // either. Low-level decisions, such as the layout of vectors, come last: they rule others out,
  // and save as much behind them.
  Expected<std::vector<GuidedStep>> next(const Schedule& schedule) {
    THALLO_TRY(const auto first, weigh(schedule, MostShownMoves, 1));
    const double wanted = first.chosen.seconds * (1 - options_.least_gain);
    auto firsts = best_of(first);
    std::vector<GuidedStep> found;
    for (const bool may_be_low : {false, true}) {
      const auto saves = [&](const WeighedAlternative* its) {
        return its->cost->seconds < wanted && (may_be_low || !is_low_level(*its));
      };
      const auto best = std::ranges::find_if(firsts, saves);
      if (best == firsts.end()) continue;
      found.push_back(step_of(**best));
      return priced(std::move(found), first.chosen.seconds);
    }
    firsts.resize(std::min(firsts.size(), most_looked(first.sites.size())));
    double best = wanted;
    for (const WeighedAlternative* its : firsts) {
      THALLO_TRY(const auto second, weigh(its->schedule, 0, MostLooked));
      const auto seconds = best_of(second);
      if (seconds.empty() || seconds.front()->cost->seconds >= best) continue;
      best = seconds.front()->cost->seconds;
      found = {step_of(*its), step_of(*seconds.front())};
    }
    return priced(std::move(found), first.chosen.seconds);
  }

 private:
  // From so many first decisions the second one is looked for.
  static constexpr std::size_t MostLooked = 8;
  // Fewer where there are many sites, because listing their choices takes longer.
  static std::size_t most_looked(std::size_t sites) {
    constexpr std::size_t MostListed = 2000;
    return std::clamp<std::size_t>(MostListed / std::max<std::size_t>(sites, 1), 1, MostLooked);
  }

  // Weighs a share of what is weighed at most, and prices so many of the fastest.
  Expected<WeighedChoices> weigh(const Schedule& schedule, std::size_t most_priced,
                                 std::size_t share) {
    THALLO_TRY(const auto sites,
               list_choices(energy_, schedule, constructs_, options_.precision, options_.limit));
    WeighingLimits limits = weighing_limits(energy_, sites.size());
    limits.weighed /= share;
    limits.priced = std::min(limits.priced, most_priced);
    return weigh_choices(energy_, schedule, sites, constructs_, price_, limits, stop_);
  }

  bool is_low_level(const WeighedAlternative& its) const {
    return std::ranges::all_of(its.directives, [&](const Directive& directive) {
      return constructs_.find(directive.construct)->stage() == Stage::LowLevel;
    });
  }

  // Returns the alternatives that change the schedule and no numerics, the fastest first.
  static std::vector<const WeighedAlternative*> best_of(const WeighedChoices& weighed) {
    std::vector<const WeighedAlternative*> best;
    const auto add = [&](const WeighedAlternative& its) {
      if (!its.directives.empty() && !its.changes_numerics && std::isfinite(its.cost->seconds))
        best.push_back(&its);
    };
    for (const auto& alternatives : weighed.sites) std::ranges::for_each(alternatives, add);
    for (const WeighedMerge& merge : weighed.merges) add(merge.its);
    std::ranges::stable_sort(best, {}, [](const auto* its) { return its->cost->seconds; });
    std::set<std::string_view> seen;
    std::erase_if(best, [&](const auto* its) { return !seen.insert(its->hash).second; });
    return best;
  }

  GuidedStep step_of(const WeighedAlternative& its) const {
    return {text_of(its.directives, constructs_), its.directives, *its.cost, its.schedule};
  }

  // The second of two steps is found by estimates, and all are shown with the prices of their
  // schedules. None are left if these say that they do not help.
  Expected<std::vector<GuidedStep>> priced(std::vector<GuidedStep> steps, double start) const {
    for (GuidedStep& step : steps) {
      THALLO_TRY(const auto plan, make_plan(energy_, step.schedule, constructs_));
      step.cost = price_.price(plan);
    }
    if (!steps.empty() && !(steps.back().cost.seconds < start)) steps.clear();
    return steps;
  }

  const Energy& energy_;
  const ConstructRegistry& constructs_;
  const PlanPrice& price_;
  const GuideOptions& options_;
  std::stop_token stop_;
};

}  // namespace

Expected<std::vector<GuidedStep>> next_steps(const Energy& energy, const Schedule& schedule,
                                             const ConstructRegistry& constructs,
                                             const PlanPrice& price, const GuideOptions& options,
                                             const std::stop_token& stop) {
  return Guide(energy, constructs, price, options, stop).next(schedule);
}

Expected<std::vector<GuidedStep>> guide(const Energy& energy, const Schedule& schedule,
                                        const ConstructRegistry& constructs, const PlanPrice& price,
                                        const GuideOptions& options, const std::stop_token& stop) {
  std::vector<GuidedStep> steps;
  while (true) {
    THALLO_TRY(auto next, next_steps(energy, steps.empty() ? schedule : steps.back().schedule,
                                     constructs, price, options, stop));
    if (next.empty()) return steps;
    std::ranges::move(next, std::back_inserter(steps));
  }
}

}  // namespace thallo
