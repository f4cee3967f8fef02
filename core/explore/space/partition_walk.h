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
  // `constructs` are the constructs of Stage::Partition. They must outlive the walk, and so must
  // the space, which says what is offered.
  PartitionWalk(const Energy& energy, std::vector<const Construct*> constructs,
                const ScheduleSpace& space);

  std::size_t num_constructs() const { return constructs_.size(); }

  struct Node {
    const ScheduleSpace::Decisions& decisions;
    const PartitionPath& path;
    bool is_leaf = false;  // true if everything is decided
  };
  // Called at every node; returns false to end the walk.
  using Visitor = std::function<bool(const Node&)>;
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
  bool visit(const ScheduleSpace::Decisions& decisions, std::size_t construct, std::size_t site,
             PartitionPath& path, const Visitor& visitor) const;
  // Picks the number of an offer, or returns nothing to end the descent.
  using Offers = std::vector<ScheduleSpace::Offer>;
  using Choose = std::function<std::optional<std::size_t>(
      const Construct&, const Site&, const Offers&, const ScheduleSpace::Decisions&)>;
  // Decides site by site until everything is decided.
  std::optional<ScheduleSpace::Decisions> descend(const Choose& choose) const;

  const Energy& energy_;
  std::vector<const Construct*> constructs_;
  const ScheduleSpace& space_;
};

}  // namespace thallo
