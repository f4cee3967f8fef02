#include "core/explore/space/partition_walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"

namespace thallo {

PartitionWalk::PartitionWalk(const ConstructRegistry& constructs, const ScheduleSpace& space)
    : space_(space),
      num_constructs_(static_cast<std::size_t>(
          std::ranges::count(in_stage_order(constructs), Stage::Partition, &Construct::stage))) {}

std::optional<ScheduleSpace::Fork> PartitionWalk::next_fork(Node& node) const {
  if (node.construct >= num_constructs_) return {};
  auto fork = space_.next_fork(node, false);
  if (node.construct >= num_constructs_) return {};
  return fork;
}

bool PartitionWalk::visit(const Visitor& visitor) const {
  PartitionPath path;
  return visit(space_.root(), path, visitor);
}

bool PartitionWalk::visit(Node node, PartitionPath& path, const Visitor& visitor) const {
  const auto fork = next_fork(node);
  if (!visitor({node.decisions, path, !fork})) return false;
  if (!fork) return true;
  for (std::size_t offer = 0; offer < fork->offers.size(); ++offer) {
    path.push_back(static_cast<std::uint16_t>(offer));
    const bool goes_on = visit(space_.taken(node, *fork, fork->offers[offer]), path, visitor);
    path.pop_back();
    if (!goes_on) return false;
  }
  return true;
}

std::optional<ScheduleSpace::Decisions> PartitionWalk::descend(const Choose& choose) const {
  Node node = space_.root();
  while (const auto fork = next_fork(node)) {
    const ScheduleSpace::Offer* offer = choose(node, *fork);
    if (offer == nullptr) return std::nullopt;
    node = space_.taken(node, *fork, *offer);
  }
  return std::move(node.decisions);
}

ScheduleSpace::Decisions PartitionWalk::at(const PartitionPath& path) const {
  std::size_t depth = 0;
  auto decisions = descend(
      [&](const Node&, const ScheduleSpace::Fork& fork) { return &fork.offers[path[depth++]]; });
  THALLO_ASSERT(depth == path.size(), "a path of {} of {} decisions", depth, path.size());
  return *std::move(decisions);
}

std::optional<PartitionPath> PartitionWalk::path_to(std::span<const Directive> directives) const {
  PartitionPath path;
  const auto follow = [&](const Node&, const ScheduleSpace::Fork& fork) {
    const auto said = std::ranges::find_if(directives, [&](const Directive& directive) {
      return directive.construct == fork.construct->name() && directive.site == fork.site;
    });
    const auto* offer =
        said == directives.end() ? fork.find_default() : fork.find(said->choice.label);
    if (offer != nullptr) path.push_back(static_cast<std::uint16_t>(offer - fork.offers.data()));
    return offer;
  };
  if (!descend(follow)) return std::nullopt;
  return path;
}

PartitionWalk::Draw PartitionWalk::draw(Random& random, double part_weight) const {
  double probability = 1;
  const auto choose = [&](const Node& node, const ScheduleSpace::Fork& fork) {
    std::vector<double> weights;
    double sum = 0;
    const auto num_parts = static_cast<double>(node.decisions.plan.parts.size());
    for (const ScheduleSpace::Offer& offer : fork.offers) {
      const auto next =
          static_cast<double>(space_.taken(node, fork, offer).decisions.plan.parts.size());
      weights.push_back(std::pow(part_weight, next - num_parts));
      sum += weights.back();
    }
    double left = random.uniform() * sum;
    std::size_t choice = 0;
    while (choice + 1 < weights.size() && left >= weights[choice]) left -= weights[choice++];
    probability *= weights[choice] / sum;
    return &fork.offers[choice];
  };
  auto decisions = descend(choose);
  return {*std::move(decisions), probability};
}

}  // namespace thallo
