#include "core/search/schedule_space.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/search/subject.h"

namespace thallo {

Subject subject_of(const Site& site) {
  switch (site.kind) {
    case SiteKind::Product:
    case SiteKind::Role: return {SiteKind::Part, parse_member_name(site.name).part};
    case SiteKind::Residual:
    case SiteKind::Part:
    case SiteKind::Intermediate:
    case SiteKind::Sum:
    case SiteKind::SolverVectors: return {site.kind, site.name};
  }
  THALLO_UNREACHABLE();
}

ScheduleSpace::ScheduleSpace(const Energy& energy, const ConstructRegistry& constructs,
                             Precision precision, const StorageLimit* limit, Pins pins)
    : energy_(energy),
      registry_(constructs),
      precision_(precision),
      limit_(limit),
      pins_(std::move(pins)),
      constructs_(in_stage_order(constructs)) {
  const auto low_level = std::ranges::find(constructs_, Stage::LowLevel, &Construct::stage);
  num_walked_ = static_cast<std::size_t>(low_level - constructs_.begin());
  for (const Directive& pin : pins_.directives()) {
    const auto its = std::ranges::find(constructs_, pin.construct, &Construct::name);
    THALLO_ASSERT(its != constructs_.end(), "no construct '{}'", pin.construct);
    const auto end = static_cast<std::size_t>(its - constructs_.begin()) + 1;
    num_pinned_ = std::max(num_pinned_, end);
    if (pin.site.kind != SiteKind::SolverVectors)
      num_pinned_beside_vectors_ = std::max(num_pinned_beside_vectors_, end);
  }
}

Expected<void> ScheduleSpace::check_pins() const {
  Node node = root();
  return decide_pins(node, true);
}

ScheduleSpace::Decisions ScheduleSpace::start() const {
  Decisions decisions{default_plan(energy_), {}};
  decisions.plan.precision = precision_;
  decisions.plan.limit = limit_;
  return decisions;
}

bool ScheduleSpace::is_default(const Construct& construct, const Plan& plan, const Site& site,
                               const Choice& choice) const {
  return construct.default_choice(energy_, plan, site).label == choice.label;
}

std::vector<ScheduleSpace::Offer> ScheduleSpace::offers(const Construct& construct,
                                                        const Plan& plan, const Site& site) const {
  std::vector<Offer> result;
  if (const Choice* pinned = pins_.find(construct.name(), site)) {
    const auto meant = construct.find(energy_, plan, site, *pinned);
    if (meant && meant->legal)
      result.push_back({meant->choice, is_default(construct, plan, site, meant->choice)});
    return result;
  }
  bool is_default = true;
  for (Alternative& alternative : construct.alternatives(energy_, plan, site)) {
    if (alternative.legal && !alternative.is_repeated)
      result.push_back({std::move(alternative.choice), is_default});
    is_default = false;
  }
  if (pins_.empty()) return result;
  // The pins behind were possible before, while all other sites had their defaults.
  std::erase_if(result, [&](const Offer& offer) {
    return !offer.is_default && !leaves_pins(construct, plan, site, offer, false);
  });
  return result;
}

void ScheduleSpace::take(const Construct& construct, const Site& site, const Offer& offer,
                         Decisions& decisions) const {
  if (offer.is_default) return;  // the plan already has the default
  construct.apply(energy_, decisions.plan, site, offer.choice);
  decisions.directives.push_back({std::string(construct.name()), site, offer.choice});
}

std::optional<ScheduleSpace::Fork> ScheduleSpace::next_fork(Node& node, bool low_level) const {
  for (; node.construct < constructs_.size(); ++node.construct, node.site = 0) {
    const Construct& construct = *constructs_[node.construct];
    const bool is_walked = low_level || node.construct < num_walked_;
    if (!is_walked && pins_.count_of(construct.name()) == 0) continue;
    const std::vector<Site> sites = construct.sites(energy_, node.decisions.plan);
    for (; node.site < sites.size(); ++node.site) {
      const Site& site = sites[node.site];
      const bool is_pinned = pins_.find(construct.name(), site) != nullptr;
      if (is_walked || is_pinned)
        return Fork{&construct, site, offers(construct, node.decisions.plan, site), is_pinned};
    }
  }
  return {};
}

const ScheduleSpace::Offer* ScheduleSpace::Fork::find(std::string_view label) const {
  const auto found = std::ranges::find(
      offers, label, [](const Offer& its) -> std::string_view { return its.choice.label; });
  return found != offers.end() ? &*found : nullptr;
}

const ScheduleSpace::Offer* ScheduleSpace::Fork::find_default() const {
  const auto found = std::ranges::find_if(offers, &Offer::is_default);
  return found != offers.end() ? &*found : nullptr;
}

ScheduleSpace::Node ScheduleSpace::taken(const Node& node, const Fork& fork,
                                         const Offer& offer) const {
  Node next = node;
  take(*fork.construct, fork.site, offer, next.decisions);
  ++next.site;
  return next;
}

Expected<void> ScheduleSpace::decide_pins(Node& node, bool with_vectors) const {
  Expected<void> result;
  Plan& plan = node.decisions.plan;
  for (; node.construct < num_pinned_; ++node.construct, node.site = 0) {
    const Construct& construct = *constructs_[node.construct];
    const std::size_t num_pinned = pins_.count_of(construct.name());
    std::size_t num_found = 0;
    std::vector<Site> sites;
    if (num_pinned > 0) sites = construct.sites(energy_, plan);
    for (std::size_t s = 0; s < sites.size() && num_found < num_pinned; ++s) {
      const Site& site = sites[s];
      const Choice* pinned = pins_.find(construct.name(), site);
      if (pinned == nullptr) continue;
      ++num_found;
      if (s < node.site || (!with_vectors && site.kind == SiteKind::SolverVectors)) continue;
      const auto meant = construct.find(energy_, plan, site, *pinned);
      if (!meant || !meant->legal) {
        if (result) result = construct.check(energy_, plan, site, *pinned);
        continue;
      }
      // Nothing but what is offered for the vectors depends on low-level decisions.
      if (!with_vectors && node.construct >= num_walked_) continue;
      take(construct, site, {meant->choice, is_default(construct, plan, site, meant->choice)},
           node.decisions);
    }
    if (num_found < num_pinned && result) {
      result =
          fail("{}: a pinned site is no longer there after the other decisions", construct.name());
    }
  }
  return result;
}

bool ScheduleSpace::leaves_pins(const Construct& construct, const Plan& plan, const Site& site,
                                const Offer& offer, bool with_vectors) const {
  const auto number =
      static_cast<std::size_t>(std::ranges::find(constructs_, &construct) - constructs_.begin());
  const std::size_t end =
      with_vectors ? num_pinned_ : std::min(num_pinned_beside_vectors_, num_walked_);
  if (number >= end) return true;
  Node next{.decisions = {plan, {}}, .construct = number};
  take(construct, site, offer, next.decisions);
  const std::vector<Site> sites = construct.sites(energy_, next.decisions.plan);
  next.site = static_cast<std::size_t>(std::ranges::find(sites, site) - sites.begin()) + 1;
  return decide_pins(next, with_vectors).has_value();
}

ScheduleSpace::Completion ScheduleSpace::with_pins(Node node) const {
  const bool has_all_pins = decide_pins(node, true).has_value();
  return {std::move(node.decisions), has_all_pins};
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
  // True if no choice is drawn after which a pin of the solver's vectors is possible only if
  // something else is decided otherwise than by default.
  bool is_careful = false;
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
    if (dice.is_careful) {
      std::erase_if(offered, [&](const Offer& offer) {
        return !leaves_pins(*fork->construct, node.decisions.plan, fork->site, offer, true);
      });
    }
    if (offered.empty()) return false;
    std::size_t drawn = dice.random.below(offered.size());
    // The loop ends at the first choice at the latest, which does not raise the tolerance unless it
    // is pinned.
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
  constexpr int MostCareless = 10;
  Dice dice(seed);
  bool is_drawn = false;
  Node node;
  for (int i = 0; i < MostDraws && !is_drawn; ++i) {
    dice.is_careful = num_pinned_ > num_pinned_beside_vectors_ && i >= MostCareless;
    node = root();
    is_drawn = draw(dice, node);
  }
  if (!is_drawn) node.decisions = with_pins(root()).decisions;
  return {Schedule(std::move(node.decisions.directives)), std::move(node.decisions.plan)};
}

ScheduleSpace::Sample ScheduleSpace::complete(const Schedule& schedule, const Plan& plan,
                                              std::uint64_t seed) const {
  Dice dice(seed);
  Node node{.decisions = {plan, schedule.directives()}, .construct = num_walked_, .site = 0};
  if (num_pinned_ > num_walked_) {
    // visit() has decided the pinned sites of this stage.
    std::erase_if(node.decisions.directives, [&](const Directive& its) {
      return registry_.find(its.construct)->stage() == Stage::LowLevel;
    });
    node.decisions.plan = *make_plan(energy_, Schedule(node.decisions.directives), registry_);
    node.decisions.plan.precision = precision_;
    node.decisions.plan.limit = limit_;
  }
  draw(dice, node);
  return {Schedule(std::move(node.decisions.directives)), std::move(node.decisions.plan)};
}

const ScheduleSpace::Offer& ScheduleSpace::offer_of(const Schedule& schedule, const Fork& fork) {
  const auto& all = schedule.directives();
  const auto said = std::ranges::find_if(all, [&](const Directive& its) {
    return its.construct == fork.construct->name() && its.site == fork.site;
  });
  const Offer* offer = said != all.end() ? fork.find(said->choice.label) : nullptr;
  return offer != nullptr ? *offer : fork.offers.front();
}

std::optional<Schedule> ScheduleSpace::nearest(const Schedule& schedule) const {
  Node node = root();
  std::vector<Directive> partition;
  auto fork = next_fork(node, true);
  for (; fork && fork->construct->stage() == Stage::Partition; fork = next_fork(node, true)) {
    if (fork->offers.empty()) return {};
    const Offer& offer = offer_of(schedule, *fork);
    partition.push_back({std::string(fork->construct->name()), fork->site, offer.choice});
    node = taken(node, *fork, offer);
  }
  const auto carried = edit(energy_, schedule, partition, registry_);
  if (!carried) return {};
  for (; fork; fork = next_fork(node, true)) {
    if (fork->offers.empty()) return {};
    node = taken(node, *fork, offer_of(carried->schedule, *fork));
  }
  return Schedule(std::move(node.decisions.directives));
}

std::vector<ScheduleSpace::BroughtSite> ScheduleSpace::brought_sites(const Plan& before,
                                                                     const Plan& after) const {
  std::vector<BroughtSite> brought;
  for (const Construct* construct : constructs_) {
    if (construct->stage() != Stage::Format) continue;
    const std::vector<Site> known = construct->sites(energy_, before);
    for (const Site& site : construct->sites(energy_, after)) {
      if (std::ranges::find(known, site) == known.end() &&
          pins_.find(construct->name(), site) == nullptr)
        brought.push_back({construct, site});
    }
  }
  return brought;
}

void ScheduleSpace::visit_brought(const Schedule& schedule, const Plan& before,
                                  const EditedSchedule& edited, std::vector<Directive>& decided,
                                  const std::function<void(const Schedule&)>& visitor) const {
  visitor(edited.schedule);
  const std::vector<BroughtSite> brought = brought_sites(before, edited.plan);
  const auto last = std::ranges::find_if(brought, [&](const BroughtSite& its) {
    return its.construct->name() == decided.back().construct && its.site == decided.back().site;
  });
  // Those before it have their defaults.
  for (auto its = last == brought.end() ? brought.begin() : last + 1; its != brought.end(); ++its) {
    for (const Choice& choice : its->construct->choices(energy_, edited.plan, its->site)) {
      if (is_default(*its->construct, edited.plan, its->site, choice)) continue;
      decided.push_back({std::string(its->construct->name()), its->site, choice});
      if (const auto further = edit(energy_, schedule, decided, registry_))
        visit_brought(schedule, before, *further, decided, visitor);
      decided.pop_back();
    }
  }
}

void ScheduleSpace::visit_neighbors(const Schedule& schedule,
                                    const std::function<void(const Schedule&)>& visitor) const {
  const auto plan = make_plan(energy_, schedule, registry_);
  if (!plan) return;
  std::vector<Directive> decided = pins_.directives();
  for (const Construct* construct : constructs_) {
    for (const Site& site : construct->sites(energy_, *plan)) {
      if (pins_.find(construct->name(), site) != nullptr) continue;
      for (const Choice& choice : construct->choices(energy_, *plan, site)) {
        decided.push_back({std::string(construct->name()), site, choice});
        // Fails if a pin is not possible then.
        const auto edited = edit(energy_, schedule, decided, registry_);
        if (edited && construct->stage() == Stage::Strategy) {
          visit_brought(schedule, *plan, *edited, decided, visitor);
        } else if (edited) {
          visitor(edited->schedule);
        }
        decided.pop_back();
      }
    }
  }
}

}  // namespace thallo
