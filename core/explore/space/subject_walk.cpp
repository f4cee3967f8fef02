#include "core/explore/space/subject_walk.h"

#include <algorithm>
#include <iterator>

#include "core/base/error.h"

namespace thallo {
namespace {

// Returns the number of ways to decide about the sites together.
BigCount num_ways(const std::vector<ScheduleSpace::Fork>& sites) {
  BigCount count = 1;
  for (const ScheduleSpace::Fork& open : sites) count *= open.offers.size();
  return count;
}

}  // namespace

SubjectWalk::SubjectWalk(const Energy& energy, const ConstructRegistry& registry,
                         const std::vector<const Construct*>& constructs, const Pins& pins,
                         bool low_level)
    : energy_(energy),
      registry_(registry),
      has_low_level_(low_level),
      open_tree_(energy, registry) {
  std::map<Subject, std::vector<Directive>> by_subject;
  for (const Directive& pin : pins.directives()) by_subject[subject_of(pin.site)].push_back(pin);
  for (auto& [subject, own] : by_subject) {
    pinned_trees_.try_emplace(subject, energy, registry, Precision::Float, nullptr,
                              Pins(std::move(own)));
  }
  for (const Construct* construct : constructs) {
    THALLO_ASSERT(construct->stage() != Stage::Partition, "{} is of the partition",
                  construct->name());
    (construct->stage() == Stage::LowLevel ? low_level_ : walked_).push_back(construct);
  }
}

std::vector<Subject> SubjectWalk::subjects(const Plan& plan) const {
  std::vector<Subject> subjects;
  for (const Part& part : plan.parts) subjects.push_back({SiteKind::Part, part.name});
  for (const auto* constructs : {&walked_, &low_level_}) {
    for (const Construct* construct : *constructs) {
      for (const Site& site : construct->sites(energy_, plan)) {
        Subject subject = subject_of(site);
        if (subject.kind == SiteKind::SolverVectors) continue;
        if (std::ranges::find(subjects, subject) == subjects.end())
          subjects.push_back(std::move(subject));
      }
    }
  }
  return subjects;
}

std::vector<ScheduleSpace::Fork> SubjectWalk::open_sites(const Construct& construct,
                                                         const Plan& plan,
                                                         const Subject& subject) const {
  const bool is_walked = has_low_level_ || construct.stage() != Stage::LowLevel;
  const ScheduleSpace& tree = tree_of(subject);
  std::vector<Fork> result;
  for (Site& site : construct.sites(energy_, plan)) {
    if (subject_of(site) != subject) continue;
    if (!is_walked && tree.pins().find(construct.name(), site) == nullptr) continue;
    auto offers = tree.offers(construct, plan, site);
    result.push_back({&construct, std::move(site), std::move(offers)});
  }
  return result;
}

bool SubjectWalk::allows_pinned_vectors(const Plan& plan) const {
  const ScheduleSpace& tree = tree_of(subject_of(vectors_site()));
  return std::ranges::all_of(tree.pins().directives(), [&](const Directive& pin) {
    return !tree.offers(*registry_.find(pin.construct), plan, pin.site).empty();
  });
}

std::vector<ScheduleSpace::Fork> SubjectWalk::low_level_sites(const Plan& plan,
                                                              const Subject& subject) const {
  std::vector<Fork> sites;
  for (const Construct* construct : low_level_) {
    for (Fork& open : open_sites(*construct, plan, subject)) sites.push_back(std::move(open));
  }
  return sites;
}

void SubjectWalk::visit(const Walk& walk, const Decisions& decisions, std::size_t construct,
                        std::size_t site) const {
  if (construct == walked_.size()) return walk.leaf_visitor(decisions);
  const std::vector<Fork> sites = open_sites(*walked_[construct], decisions.plan, walk.subject);
  if (site >= sites.size()) return visit(walk, decisions, construct + 1, 0);
  const Fork& open = sites[site];
  if (walk.site_visitor) walk.site_visitor(open);
  for (const ScheduleSpace::Offer& offer : open.offers) {
    Decisions next = decisions;
    tree_of(walk.subject).take(*open.construct, open.site, offer, next);
    visit(walk, next, construct, site + 1);
  }
}

void SubjectWalk::visit_sites(const Plan& plan, const Subject& subject,
                              const SiteVisitor& visitor) const {
  const auto visit_low_level = [&](const Decisions& decisions) {
    for (const Fork& open : low_level_sites(decisions.plan, subject)) visitor(open);
  };
  visit({subject, visit_low_level, visitor}, {plan, {}}, 0, 0);
}

const SubjectWalk::Leaves& SubjectWalk::leaves(const Plan& plan, const Subject& subject) {
  constexpr std::size_t MaxKept = 100'000;
  const bool is_part = subject.kind == SiteKind::Part;
  // A part has the same ways in every partition that contains it; another subject has the same ways
  // in all partitions.
  std::pair<std::vector<ResidualRef>, Subject> key;
  if (is_part) {
    key.first = find_part(plan, subject.name)->residuals;
  } else {
    key.second = subject;
  }
  if (const auto known = leaves_.find(key); known != leaves_.end()) return known->second;
  if (num_leaves_ > MaxKept) {
    leaves_.clear();
    num_leaves_ = 0;
  }
  Leaves& made = leaves_[std::move(key)];
  const auto add = [&](const Decisions& decisions) {
    if (!allows_pinned_vectors(decisions.plan)) return;
    BigCount end = made.empty() ? BigCount(0) : made.back().end;
    end += num_ways(low_level_sites(decisions.plan, subject));
    made.push_back({decisions.directives, std::move(end)});
  };
  visit({subject, add, {}}, {plan, {}}, 0, 0);
  num_leaves_ += made.size();
  return made;
}

Plan SubjectWalk::plan_at(const Leaf& leaf, Plan plan) const {
  for (const Directive& directive : leaf.directives) {
    const auto construct = std::ranges::find(walked_, directive.construct, &Construct::name);
    (*construct)->apply(energy_, plan, directive.site, directive.choice);
  }
  return plan;
}

BigCount SubjectWalk::count(const Plan& plan, const Subject& subject) {
  const Leaves& all = leaves(plan, subject);
  return all.empty() ? BigCount(0) : all.back().end;
}

std::vector<Directive> SubjectWalk::at(const Plan& plan, const Subject& subject,
                                       const BigCount& index) {
  const Leaves& all = leaves(plan, subject);
  THALLO_ASSERT(index < all.back().end, "way {} of {}", index.str(), all.back().end.str());
  const auto leaf = std::ranges::upper_bound(all, index, {}, &Leaf::end);
  BigCount rest = leaf == all.begin() ? index : BigCount(index - std::prev(leaf)->end);
  Decisions decisions = {plan_at(*leaf, plan), leaf->directives};
  for (const Fork& open : low_level_sites(decisions.plan, subject)) {
    const auto offer = static_cast<std::size_t>(BigCount(rest % open.offers.size()));
    rest /= open.offers.size();
    tree_of(subject).take(*open.construct, open.site, open.offers[offer], decisions);
  }
  return std::move(decisions.directives);
}

std::optional<BigCount> SubjectWalk::index_of(const Plan& plan, const Subject& subject,
                                              std::span<const Directive> directives) {
  std::vector<Directive> before_low_level;
  std::map<std::pair<std::string_view, Site>, std::string_view> low_level;  // chosen labels
  for (const Directive& directive : directives) {
    if (subject_of(directive.site) != subject) continue;
    const bool is_walked =
        std::ranges::find(walked_, directive.construct, &Construct::name) != walked_.end();
    if (is_walked) {
      before_low_level.push_back(directive);
    } else {
      low_level[{directive.construct, directive.site}] = directive.choice.label;
    }
  }
  const Leaves& all = leaves(plan, subject);
  const auto leaf = std::ranges::find(all, before_low_level, &Leaf::directives);
  if (leaf == all.end()) return std::nullopt;
  BigCount index = leaf == all.begin() ? BigCount(0) : std::prev(leaf)->end;
  BigCount place = 1;
  for (const Fork& open : low_level_sites(plan_at(*leaf, plan), subject)) {
    const auto chosen = low_level.extract({open.construct->name(), open.site});
    const auto* offer = chosen ? open.find(chosen.mapped()) : open.find_default();
    if (offer == nullptr) return std::nullopt;
    index += place * (offer - open.offers.data());
    place *= open.offers.size();
  }
  if (!low_level.empty()) return std::nullopt;
  return index;
}

}  // namespace thallo
