#include "core/search/schedule_space.h"

#include <utility>

#include "core/base/random.h"

namespace thallo {

ScheduleSpace::ScheduleSpace(const Energy& energy, const ConstructRegistry& constructs,
                             Precision precision, const StorageLimit* limit)
    : energy_(energy), precision_(precision), limit_(limit) {
  for (const Construct* construct : in_stage_order(constructs))
    (construct->stage() == Stage::LowLevel ? low_level_ : walked_).push_back(construct);
}

ScheduleSpace::Decisions ScheduleSpace::start() const {
  Decisions decisions{default_plan(energy_), {}};
  decisions.plan.precision = precision_;
  decisions.plan.limit = limit_;
  return decisions;
}

std::vector<ScheduleSpace::Offer> ScheduleSpace::offers(const Construct& construct,
                                                        const Plan& plan, const Site& site) const {
  std::vector<Offer> result;
  bool is_default = true;
  for (Alternative& alternative : construct.alternatives(energy_, plan, site)) {
    if (alternative.legal && !alternative.is_repeated)
      result.push_back({std::move(alternative.choice), is_default});
    is_default = false;
  }
  return result;
}

void ScheduleSpace::decide(const Energy& energy, const Construct& construct, const Site& site,
                           const std::vector<Choice>& choices, std::size_t choice,
                           Decisions& decisions) {
  if (choice == 0) return;  // the plan already has the default
  construct.apply(energy, decisions.plan, site, choices[choice]);
  decisions.directives.push_back({std::string(construct.name()), site, choices[choice]});
}

void ScheduleSpace::take(const Construct& construct, const Site& site, const Offer& offer,
                         Decisions& decisions) const {
  if (offer.is_default) return;  // the plan already has the default
  construct.apply(energy_, decisions.plan, site, offer.choice);
  decisions.directives.push_back({std::string(construct.name()), site, offer.choice});
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
  for (const Offer& offer : offers(current, decisions.plan, sites[site])) {
    Decisions next = decisions;
    take(current, sites[site], offer, next);
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
  bool may_loosen;  // true if choices may raise product_tolerance; so for one seed of four
};

bool ScheduleSpace::draw(const std::vector<const Construct*>& constructs, Dice& dice,
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
      std::vector<Offer> offered = offers(*construct, decisions.plan, site);
      if (offered.empty()) return false;
      std::size_t drawn = dice.random.below(offered.size());
      // The loop ends at the first choice at the latest, which does not raise the tolerance.
      while (!dice.may_loosen && drawn > 0 &&
             loosens(*construct, site, offered[drawn].choice, decisions.plan)) {
        offered.erase(offered.begin() + static_cast<std::ptrdiff_t>(drawn));
        drawn = dice.random.below(offered.size());
      }
      take(*construct, site, offered[drawn], decisions);
    }
  }
  return true;
}

ScheduleSpace::Sample ScheduleSpace::sample(std::uint64_t seed) const {
  constexpr int MostDraws = 100;
  Dice dice(seed);
  Decisions decisions = start();
  for (int i = 0; i < MostDraws; ++i) {
    if (draw(walked_, dice, decisions) && draw(low_level_, dice, decisions)) break;
    decisions = start();
  }
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
