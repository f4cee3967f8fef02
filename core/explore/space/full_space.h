// All schedules of an energy, by number.
//
// The most significant part of a number selects the partition, in the order in which the tree of
// decisions is walked. Next come the ways to decide about each part of the partition, and last,
// changing fastest, the decisions about intermediates and Sums, which do not depend on the
// partition. Number 0 is the schedule in which everything has its default that is not pinned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/space/factored_tree.h"
#include "core/search/indexed_space.h"

namespace thallo {

// Limits the effort of exact counting; beyond these limits the count is estimated.
struct CountLimits {
  std::int64_t max_nodes = 10'000'000;
  double max_seconds = 60;
};

class FullSpace final : public IndexedSpace {
 public:
  // Enumerates all partitions. Returns nothing if that exceeds the limits. The tree must be
  // factored (FactoredTree::why_not_factored()) and must outlive the space, which refers to it.
  static std::optional<FullSpace> make(FactoredTree& tree, std::string id,
                                       const CountLimits& limits);

  std::vector<StageCount> stages() const override;
  // Returns all of them: the tree contains no schedule twice.
  std::optional<BigCount> num_distinct(const BigCount& max_compared) const override;
  Schedule schedule(const BigCount& index) const override;
  std::optional<BigCount> index_of(const Schedule& schedule) const override;

  // Returns the decisions of the schedule with this number; its directives are in no particular
  // order.
  ScheduleSpace::Decisions decisions(const BigCount& index) const;
  std::size_t num_partitions() const { return partitions_.size(); }

 private:
  struct Partition {
    PartitionPath path;
    BigCount end;  // cumulative: the ways of this partition and all before it
  };

  FullSpace(FactoredTree& tree, std::string id) : IndexedSpace(tree.constructs()), tree_(&tree) {
    id_ = std::move(id);
  }

  FactoredTree* tree_;
  std::vector<Partition> partitions_;  // sorted by path
};

}  // namespace thallo
