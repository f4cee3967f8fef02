#include "core/search/schedule_space.h"

#include <algorithm>
#include <utility>

#include "core/base/random.h"

namespace thallo {

ScheduleSpace::ScheduleSpace(const Energy& energy, const ConstructRegistry& constructs,
                             Precision precision, const StorageLimit* limit)
    : energy_(energy),
      precision_(precision),
      limit_(limit),
      constructs_(in_stage_order(constructs)) {
  const auto low_level = std::ranges::find(constructs_, Stage::LowLevel, &Construct::stage);
  num_walked_ = static_cast<std::size_t>(low_level - constructs_.begin());
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

std::optional<ScheduleSpace::Fork> ScheduleSpace::next_fork(Node& node, bool low_level) const {
  const std::size_t end = low_level ? constructs_.size() : num_walked_;
  for (; node.construct < end; ++node.construct, node.site = 0) {
    const Construct& construct = *constructs_[node.construct];
    const std::vector<Site> sites = construct.sites(energy_, node.decisions.plan);
    if (node.site >= sites.size()) continue;
    const Site& site = sites[node.site];
    return Fork{&construct, site, offers(construct, node.decisions.plan, site)};
  }
  return {};
}

ScheduleSpace::Node ScheduleSpace::taken(const Node& node, const Fork& fork,
                                         const Offer& offer) const {
  Node next = node;
  take(*fork.construct, fork.site, offer, next.decisions);
  ++next.site;
  return next;
}

bool ScheduleSpace::visit(const Visitor& visitor) const { return visit(root(), visitor); }

bool ScheduleSpace::visit(Node node, const Visitor& visitor) const {
  const auto fork = next_fork(node, false);
  if (!fork) return visitor(Schedule(node.decisions.directives), node.decisions.plan);
  return std::ranges::all_of(
      fork->offers, [&](const Offer& offer) { return visit(taken(node, *fork, offer), visitor); });
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

bool ScheduleSpace::draw(Dice& dice, Node& node) const {
  const auto loosens = [this](const Construct& construct, const Site& site, const Choice& choice,
                              Plan plan) {
    const double before = plan.product_tolerance;
    construct.apply(energy_, plan, site, choice);
    return plan.product_tolerance > before;
  };
  while (auto fork = next_fork(node, true)) {
    std::vector<Offer>& offered = fork->offers;
    if (offered.empty()) return false;
    std::size_t drawn = dice.random.below(offered.size());
    // The loop ends at the first choice at the latest, which does not raise the tolerance.
    while (!dice.may_loosen && drawn > 0 &&
           loosens(*fork->construct, fork->site, offered[drawn].choice, node.decisions.plan)) {
      offered.erase(offered.begin() + static_cast<std::ptrdiff_t>(drawn));
      drawn = dice.random.below(offered.size());
    }
    node = taken(node, *fork, offered[drawn]);
  }
  return true;
}

ScheduleSpace::Sample ScheduleSpace::sample(std::uint64_t seed) const {
  constexpr int MostDraws = 100;
  Dice dice(seed);
  Node node = root();
  for (int i = 0; i < MostDraws; ++i) {
    if (draw(dice, node)) break;
    node = root();
  }
  return {Schedule(std::move(node.decisions.directives)), std::move(node.decisions.plan)};
}

ScheduleSpace::Sample ScheduleSpace::complete(const Schedule& schedule, const Plan& plan,
                                              std::uint64_t seed) const {
  Dice dice(seed);
  Node node{.decisions = {plan, schedule.directives()}, .construct = num_walked_, .site = 0};
  draw(dice, node);
  return {Schedule(std::move(node.decisions.directives)), std::move(node.decisions.plan)};
}

}  // namespace thallo
