// All schedules of an energy, by number.
//
// Numbers go through the partitions first, in the order in which the tree of decisions is walked,
// then through the ways to decide about each of their parts, then about what no partition changes,
// intermediates and Sums; the last changes fastest. Number 0 is the default schedule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/factored_tree.h"
#include "core/explore/indexed_space.h"

namespace thallo {

// How long to count before an estimate has to do.
struct CountLimits {
  std::int64_t max_nodes = 10'000'000;
  double max_seconds = 60;
};

class FullSpace final : public IndexedSpace {
 public:
  // Walks all partitions. Nothing when that is beyond the limits. The tree must be factored
  // (FactoredTree::why_not_factored()) and outlive the space, which uses it.
  static std::optional<FullSpace> make(FactoredTree& tree, std::string id,
                                       const CountLimits& limits);

  std::string id() const override { return id_; }
  const BigCount& size() const override { return size_; }
  std::vector<StageCount> stages() const override;
  // All: the tree has no schedule twice.
  std::optional<BigCount> num_distinct(const BigCount& max_compared) const override;
  Schedule schedule(const BigCount& index) const override;
  std::optional<BigCount> index_of(const Schedule& schedule) const override;

  // The schedule of this number with its plan, its directives in any order.
  ScheduleSpace::Decisions decisions(const BigCount& index) const;
  std::size_t num_partitions() const { return partitions_.size(); }

 private:
  struct Partition {
    PartitionPath path;
    BigCount end;  // the ways to decide about the parts of this partition and all before it
  };

  FullSpace(FactoredTree& tree, std::string id) : tree_(&tree), id_(std::move(id)) {}

  FactoredTree* tree_;
  std::string id_;
  std::vector<Partition> partitions_;  // by their paths
  BigCount size_;
};

}  // namespace thallo
