// Enumerates the partitions of an energy's residuals into parts, which are the first stage of the
// tree of decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/search/schedule_space.h"

namespace thallo {

// For each site, in the order in which sites are decided, the number of the offer taken there.
using PartitionPath = std::vector<std::uint16_t>;

class PartitionWalk {
 public:
  // The space, which has these constructs, must outlive the walk.
  PartitionWalk(const ConstructRegistry& constructs, const ScheduleSpace& space);

  std::size_t num_constructs() const { return num_constructs_; }  // of the partition

  struct Visited {
    const ScheduleSpace::Decisions& decisions;
    const PartitionPath& path;
    bool is_leaf = false;  // true if everything is decided
  };
  // Called at every node of the tree; returns false to end the walk.
  using Visitor = std::function<bool(const Visited&)>;
  // Visits nodes in the order of their paths. Returns false if the visitor ended the walk.
  bool visit(const Visitor& visitor) const;

  // Returns the decisions at the leaf with this path.
  ScheduleSpace::Decisions at(const PartitionPath& path) const;
  // Returns the path that the directives, in normal form, lead to. Directives of other stages are
  // ignored.
  std::optional<PartitionPath> path_to(std::span<const Directive> directives) const;

  struct Draw {
    ScheduleSpace::Decisions decisions;
    double probability = 1;  // of drawing this leaf
  };
  // Draws a random leaf. At each site, the weight of a choice is `part_weight` to the power of the
  // number of parts that the choice leads to.
  Draw draw(Random& random, double part_weight) const;

 private:
  using Node = ScheduleSpace::Node;
  // As ScheduleSpace::next_fork(); returns nothing if the partition is decided.
  std::optional<ScheduleSpace::Fork> next_fork(Node& node) const;
  bool visit(Node node, PartitionPath& path, const Visitor& visitor) const;
  // Picks an offer, or returns null to end the descent.
  using Choose =
      std::function<const ScheduleSpace::Offer*(const Node&, const ScheduleSpace::Fork&)>;
  // Decides site by site until everything is decided.
  std::optional<ScheduleSpace::Decisions> descend(const Choose& choose) const;

  const ScheduleSpace& space_;
  std::size_t num_constructs_;
};

}  // namespace thallo
