#include "core/explore/schedule_space.h"

#include <utility>

#include "core/base/random.h"

namespace thallo {

ScheduleSpace::ScheduleSpace(const Energy& energy, const ConstructRegistry& constructs,
                             Precision precision)
    : energy_(energy), precision_(precision) {
  for (const Construct* construct : in_stage_order(constructs))
    (construct->stage() == Stage::LowLevel ? low_level_ : walked_).push_back(construct);
}

ScheduleSpace::Decisions ScheduleSpace::start() const {
  Decisions decisions{default_plan(energy_), {}};
  decisions.plan.precision = precision_;
  return decisions;
}

void ScheduleSpace::decide(const Energy& energy, const Construct& construct, const Site& site,
                           const std::vector<Choice>& choices, std::size_t choice,
                           Decisions& decisions) {
  if (choice == 0) return;  // the default is what the plan has already
  construct.apply(energy, decisions.plan, site, choices[choice]);
  decisions.directives.push_back({std::string(construct.name()), site, choices[choice]});
}

bool ScheduleSpace::visit(const Visitor& visitor) const {
  Decisions decisions = start();
  return visit(decisions, 0, 0, visitor);
}

bool ScheduleSpace::visit(Decisions& decisions, std::size_t construct, std::size_t site,
                          const Visitor& visitor) const {
  if (construct == walked_.size()) return visitor(Schedule(decisions.directives), decisions.plan);
  const Construct& current = *walked_[construct];
  const std::vector<Site> sites = current.sites(energy_, decisions.plan);
  if (site >= sites.size()) return visit(decisions, construct + 1, 0, visitor);
  const std::vector<Choice> choices = current.choices(energy_, decisions.plan, sites[site]);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    Decisions next = decisions;
    decide(energy_, current, sites[site], choices, i, next);
    if (!visit(next, construct, site + 1, visitor)) return false;
  }
  return true;
}

std::int64_t ScheduleSpace::count(std::int64_t limit) const {
  std::int64_t count = 0;
  visit([&](const Schedule&, const Plan&) { return ++count < limit; });
  return count;
}

struct ScheduleSpace::Dice {
  explicit Dice(std::uint64_t seed) : random(seed), may_loosen(random.below(4) == 0) {}
  Random random;
  bool may_loosen;  // may choices raise product_tolerance? True for one seed of four
};

void ScheduleSpace::draw(const std::vector<const Construct*>& constructs, Dice& dice,
                         Decisions& decisions) const {
  const auto loosens = [this](const Construct& construct, const Site& site, const Choice& choice,
                              Plan plan) {
    const double before = plan.product_tolerance;
    construct.apply(energy_, plan, site, choice);
    return plan.product_tolerance > before;
  };
  for (const Construct* construct : constructs) {
    for (std::size_t i = 0;; ++i) {
      const std::vector<Site> sites = construct->sites(energy_, decisions.plan);
      if (i >= sites.size()) break;
      const Site& site = sites[i];
      std::vector<Choice> choices = construct->choices(energy_, decisions.plan, site);
      std::size_t choice = dice.random.below(choices.size());
      // Ends at the latest with choice 0, the default, which loosens nothing.
      while (!dice.may_loosen && choice > 0 &&
             loosens(*construct, site, choices[choice], decisions.plan)) {
        choices.erase(choices.begin() + static_cast<std::ptrdiff_t>(choice));
        choice = dice.random.below(choices.size());
      }
      decide(energy_, *construct, site, choices, choice, decisions);
    }
  }
}

ScheduleSpace::Sample ScheduleSpace::sample(std::uint64_t seed) const {
  Dice dice(seed);
  Decisions decisions = start();
  draw(walked_, dice, decisions);
  draw(low_level_, dice, decisions);
  return {Schedule(std::move(decisions.directives)), std::move(decisions.plan)};
}

ScheduleSpace::Sample ScheduleSpace::complete(const Schedule& schedule, const Plan& plan,
                                              std::uint64_t seed) const {
  Dice dice(seed);
  Decisions decisions{plan, schedule.directives()};
  draw(low_level_, dice, decisions);
  return {Schedule(std::move(decisions.directives)), std::move(decisions.plan)};
}

}  // namespace thallo
