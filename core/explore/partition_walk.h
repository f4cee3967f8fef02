// The partitions of an energy's residuals into parts: the first stage of the tree of decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/explore/schedule_space.h"

namespace thallo {

// The numbers of the choices at each site, in the order in which sites are decided.
using PartitionPath = std::vector<std::uint16_t>;

class PartitionWalk {
 public:
  // The constructs, of Stage::Partition, and the energy must outlive the walk, which begins at
  // `start`.
  PartitionWalk(const Energy& energy, std::vector<const Construct*> constructs,
                ScheduleSpace::Decisions start);

  struct Node {
    const ScheduleSpace::Decisions& decisions;
    const PartitionPath& path;
    bool is_leaf = false;  // everything is decided
  };
  // Is called at every node; returns false to end the walk.
  using Visitor = std::function<bool(const Node&)>;
  // Visits nodes in the order of their paths. False when the visitor ended the walk.
  bool visit(const Visitor& visitor) const;

  // The decisions of the path of a leaf.
  ScheduleSpace::Decisions at(const PartitionPath& path) const;
  // The path that the directives, in normal form, lead to; directives of other stages do not count.
  std::optional<PartitionPath> path_to(std::span<const Directive> directives) const;

  struct Draw {
    ScheduleSpace::Decisions decisions;
    double probability = 1;  // of this draw
  };
  // Draws a leaf. At each site a choice is as likely as `part_weight` to the power of the number of
  // parts that it leads to.
  Draw draw(Random& random, double part_weight) const;

 private:
  bool visit(const ScheduleSpace::Decisions& decisions, std::size_t construct, std::size_t site,
             PartitionPath& path, const Visitor& visitor) const;
  // Picks the number of a choice, nothing to end the descent.
  using Choose = std::function<std::optional<std::size_t>(
      const Construct&, const Site&, const std::vector<Choice>&, const ScheduleSpace::Decisions&)>;
  // Decides site by site until all is decided.
  std::optional<ScheduleSpace::Decisions> descend(const Choose& choose) const;

  const Energy& energy_;
  std::vector<const Construct*> constructs_;
  ScheduleSpace::Decisions start_;
};

}  // namespace thallo
