#include "core/explore/space/full_space.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "core/base/error.h"
#include "core/base/seconds_since.h"

namespace thallo {
namespace {

std::string stage_name(SiteKind kind) {
  switch (kind) {
    case SiteKind::Intermediate: return "intermediates";
    case SiteKind::Sum: return "Sums";
    default: return std::string(to_string(kind));
  }
}

}  // namespace

std::optional<FullSpace> FullSpace::make(FactoredTree& tree, std::string id,
                                         const CountLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  FullSpace space(tree, std::move(id));
  std::int64_t num_nodes = 0;
  BigCount end = 0;
  const bool is_whole = tree.partitions().visit([&](const PartitionWalk::Visited& node) {
    if (++num_nodes > limits.max_nodes || seconds_since(start) > limits.max_seconds) return false;
    if (node.is_leaf) {
      end += num_ways(tree.parts(node.decisions.plan));
      space.partitions_.push_back({node.path, end});
    }
    return true;
  });
  if (!is_whole) return std::nullopt;
  space.size_ = end * num_ways(tree.shared());
  return space;
}

std::vector<StageCount> FullSpace::stages() const {
  StageCount of_parts = {"parts", partitions_.back().end, {}};
  const Plan first = tree_->partitions().at(partitions_.front().path).plan;
  for (const FactoredTree::Factor& part : tree_->parts(first))
    of_parts.sites.push_back({part.subject.name, part.count});
  std::vector<StageCount> stages = {std::move(of_parts)};
  for (const FactoredTree::Factor& factor : tree_->shared()) {
    const std::string name = stage_name(factor.subject.kind);
    if (stages.back().name != name) stages.push_back({name, 1, {}});
    stages.back().count *= factor.count;
    stages.back().sites.push_back({factor.subject.name, factor.count});
  }
  return stages;
}

std::optional<BigCount> FullSpace::num_distinct(const BigCount& /*max_compared*/) const {
  return size_;
}

ScheduleSpace::Decisions FullSpace::decisions(const BigCount& index) const {
  THALLO_ASSERT(index >= 0 && index < size_, "schedule {} of {}", index.str(), size_.str());
  const BigCount num_shared = num_ways(tree_->shared());
  const BigCount of_parts = index / num_shared;
  const auto partition = std::ranges::upper_bound(partitions_, of_parts, {}, &Partition::end);
  const BigCount before =
      partition == partitions_.begin() ? BigCount(0) : std::prev(partition)->end;
  ScheduleSpace::Decisions decisions = tree_->partitions().at(partition->path);
  tree_->decide(tree_->parts(decisions.plan), of_parts - before, decisions);
  tree_->decide(tree_->shared(), index % num_shared, decisions);
  tree_->decide_pinned_vectors(decisions);
  return decisions;
}

Schedule FullSpace::schedule(const BigCount& index) const {
  auto normal =
      normal_form(tree_->energy(), Schedule(decisions(index).directives), tree_->constructs());
  THALLO_ASSERT(normal.has_value(), "{}", normal ? "" : normal.error().message());
  return *std::move(normal);
}

std::optional<BigCount> FullSpace::index_of(const Schedule& schedule) const {
  const auto normal = normal_form(tree_->energy(), schedule, tree_->constructs());
  if (!normal) return std::nullopt;
  const auto path = tree_->partitions().path_to(normal->directives());
  if (!path) return std::nullopt;
  const auto partition = std::ranges::lower_bound(partitions_, *path, {}, &Partition::path);
  if (partition == partitions_.end() || partition->path != *path) return std::nullopt;
  const Plan plan = tree_->partitions().at(*path).plan;
  const auto of_parts = tree_->index_of_way(plan, tree_->parts(plan), normal->directives());
  const auto of_shared = tree_->index_of_way(plan, tree_->shared(), normal->directives());
  if (!of_parts || !of_shared) return std::nullopt;
  const BigCount before =
      partition == partitions_.begin() ? BigCount(0) : std::prev(partition)->end;
  BigCount index = (before + *of_parts) * num_ways(tree_->shared()) + *of_shared;
  // The schedule may contain decisions that the tree leaves out: the low-level stage or the
  // solver's vectors.
  if (this->schedule(index) != *normal) return std::nullopt;
  return index;
}

}  // namespace thallo
