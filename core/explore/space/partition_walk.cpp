#include "core/explore/space/partition_walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"

namespace thallo {

PartitionWalk::PartitionWalk(const Energy& energy, std::vector<const Construct*> constructs,
                             const ScheduleSpace& space)
    : energy_(energy), constructs_(std::move(constructs)), space_(space) {}

bool PartitionWalk::visit(const Visitor& visitor) const {
  PartitionPath path;
  return visit(space_.start(), 0, 0, path, visitor);
}

bool PartitionWalk::visit(const ScheduleSpace::Decisions& decisions, std::size_t construct,
                          std::size_t site, PartitionPath& path, const Visitor& visitor) const {
  if (construct == constructs_.size()) return visitor({decisions, path, true});
  const Construct& current = *constructs_[construct];
  const std::vector<Site> sites = current.sites(energy_, decisions.plan);
  if (site >= sites.size()) return visit(decisions, construct + 1, 0, path, visitor);
  if (!visitor({decisions, path, false})) return false;
  const Offers offers = space_.offers(current, decisions.plan, sites[site]);
  for (std::size_t offer = 0; offer < offers.size(); ++offer) {
    ScheduleSpace::Decisions next = decisions;
    space_.take(current, sites[site], offers[offer], next);
    path.push_back(static_cast<std::uint16_t>(offer));
    const bool goes_on = visit(next, construct, site + 1, path, visitor);
    path.pop_back();
    if (!goes_on) return false;
  }
  return true;
}

std::optional<ScheduleSpace::Decisions> PartitionWalk::descend(const Choose& choose) const {
  ScheduleSpace::Decisions decisions = space_.start();
  for (const Construct* construct : constructs_) {
    for (std::size_t i = 0;; ++i) {
      const std::vector<Site> sites = construct->sites(energy_, decisions.plan);
      if (i >= sites.size()) break;
      const Offers offers = space_.offers(*construct, decisions.plan, sites[i]);
      const auto offer = choose(*construct, sites[i], offers, decisions);
      if (!offer) return std::nullopt;
      space_.take(*construct, sites[i], offers[*offer], decisions);
    }
  }
  return decisions;
}

ScheduleSpace::Decisions PartitionWalk::at(const PartitionPath& path) const {
  std::size_t depth = 0;
  auto decisions =
      descend([&](const Construct&, const Site&, const Offers&, const ScheduleSpace::Decisions&) {
        return std::optional<std::size_t>(path[depth++]);
      });
  THALLO_ASSERT(depth == path.size(), "a path of {} of {} decisions", depth, path.size());
  return *std::move(decisions);
}

std::optional<PartitionPath> PartitionWalk::path_to(std::span<const Directive> directives) const {
  PartitionPath path;
  const auto follow = [&](const Construct& construct, const Site& site, const Offers& offers,
                          const ScheduleSpace::Decisions&) -> std::optional<std::size_t> {
    const auto said = std::ranges::find_if(directives, [&](const Directive& directive) {
      return directive.construct == construct.name() && directive.site == site;
    });
    const auto offer = std::ranges::find_if(offers, [&](const ScheduleSpace::Offer& its) {
      return said == directives.end() ? its.is_default : its.choice.label == said->choice.label;
    });
    if (offer == offers.end()) return std::nullopt;
    path.push_back(static_cast<std::uint16_t>(offer - offers.begin()));
    return path.back();
  };
  if (!descend(follow)) return std::nullopt;
  return path;
}

PartitionWalk::Draw PartitionWalk::draw(Random& random, double part_weight) const {
  double probability = 1;
  const auto choose = [&](const Construct& construct, const Site& site, const Offers& offers,
                          const ScheduleSpace::Decisions& before) {
    std::vector<double> weights;
    double sum = 0;
    for (const ScheduleSpace::Offer& offer : offers) {
      ScheduleSpace::Decisions next = before;
      space_.take(construct, site, offer, next);
      const auto more_parts = static_cast<double>(next.plan.parts.size()) -
                              static_cast<double>(before.plan.parts.size());
      weights.push_back(std::pow(part_weight, more_parts));
      sum += weights.back();
    }
    double left = random.uniform() * sum;
    std::size_t choice = 0;
    while (choice + 1 < weights.size() && left >= weights[choice]) left -= weights[choice++];
    probability *= weights[choice] / sum;
    return std::optional<std::size_t>(choice);
  };
  auto decisions = descend(choose);
  return {*std::move(decisions), probability};
}

}  // namespace thallo
