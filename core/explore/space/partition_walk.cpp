#include "core/explore/space/partition_walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"

namespace thallo {

PartitionWalk::PartitionWalk(const Energy& energy, std::vector<const Construct*> constructs,
                             ScheduleSpace::Decisions start)
    : energy_(energy), constructs_(std::move(constructs)), start_(std::move(start)) {}

bool PartitionWalk::visit(const Visitor& visitor) const {
  PartitionPath path;
  return visit(start_, 0, 0, path, visitor);
}

bool PartitionWalk::visit(const ScheduleSpace::Decisions& decisions, std::size_t construct,
                          std::size_t site, PartitionPath& path, const Visitor& visitor) const {
  if (construct == constructs_.size()) return visitor({decisions, path, true});
  const Construct& current = *constructs_[construct];
  const std::vector<Site> sites = current.sites(energy_, decisions.plan);
  if (site >= sites.size()) return visit(decisions, construct + 1, 0, path, visitor);
  if (!visitor({decisions, path, false})) return false;
  const std::vector<Choice> choices = current.choices(energy_, decisions.plan, sites[site]);
  for (std::size_t choice = 0; choice < choices.size(); ++choice) {
    ScheduleSpace::Decisions next = decisions;
    ScheduleSpace::decide(energy_, current, sites[site], choices, choice, next);
    path.push_back(static_cast<std::uint16_t>(choice));
    const bool goes_on = visit(next, construct, site + 1, path, visitor);
    path.pop_back();
    if (!goes_on) return false;
  }
  return true;
}

std::optional<ScheduleSpace::Decisions> PartitionWalk::descend(const Choose& choose) const {
  ScheduleSpace::Decisions decisions = start_;
  for (const Construct* construct : constructs_) {
    for (std::size_t i = 0;; ++i) {
      const std::vector<Site> sites = construct->sites(energy_, decisions.plan);
      if (i >= sites.size()) break;
      const std::vector<Choice> choices = construct->choices(energy_, decisions.plan, sites[i]);
      const auto choice = choose(*construct, sites[i], choices, decisions);
      if (!choice) return std::nullopt;
      ScheduleSpace::decide(energy_, *construct, sites[i], choices, *choice, decisions);
    }
  }
  return decisions;
}

ScheduleSpace::Decisions PartitionWalk::at(const PartitionPath& path) const {
  std::size_t depth = 0;
  auto decisions = descend(
      [&](const Construct&, const Site&, const std::vector<Choice>&,
          const ScheduleSpace::Decisions&) { return std::optional<std::size_t>(path[depth++]); });
  THALLO_ASSERT(depth == path.size(), "a path of {} of {} decisions", depth, path.size());
  return *std::move(decisions);
}

std::optional<PartitionPath> PartitionWalk::path_to(std::span<const Directive> directives) const {
  PartitionPath path;
  const auto follow = [&](const Construct& construct, const Site& site,
                          const std::vector<Choice>& choices,
                          const ScheduleSpace::Decisions&) -> std::optional<std::size_t> {
    const auto said = std::ranges::find_if(directives, [&](const Directive& directive) {
      return directive.construct == construct.name() && directive.site == site;
    });
    const auto choice = said == directives.end()
                            ? choices.begin()
                            : std::ranges::find(choices, said->choice.label, &Choice::label);
    if (choice == choices.end()) return std::nullopt;
    path.push_back(static_cast<std::uint16_t>(choice - choices.begin()));
    return path.back();
  };
  if (!descend(follow)) return std::nullopt;
  return path;
}

PartitionWalk::Draw PartitionWalk::draw(Random& random, double part_weight) const {
  double probability = 1;
  const auto choose = [&](const Construct& construct, const Site& site,
                          const std::vector<Choice>& choices,
                          const ScheduleSpace::Decisions& before) {
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t choice = 0; choice < choices.size(); ++choice) {
      ScheduleSpace::Decisions next = before;
      ScheduleSpace::decide(energy_, construct, site, choices, choice, next);
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
