// The tree of all schedules of an energy, taken apart: partitions first, then the decisions about
// each part, intermediate and Sum, which multiply (subject_walk.h).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/explore/partition_walk.h"
#include "core/explore/subject_walk.h"

namespace thallo {

class FactoredTree {
 public:
  // Energy and constructs must outlive the tree. Without `low_level`, that stage stays at its
  // defaults.
  FactoredTree(const Energy& energy, const ConstructRegistry& constructs, Precision precision,
               bool low_level);

  const Energy& energy() const { return energy_; }
  const ConstructRegistry& constructs() const { return constructs_; }
  // Without any decision: parts are as the text has its groups.
  const ScheduleSpace::Decisions& start() const { return start_; }
  const PartitionWalk& partitions() const { return partitions_; }
  SubjectWalk& subjects() { return subjects_; }
  // The constructs of the stages after the partition, in stage order.
  const std::vector<const Construct*>& later_constructs() const { return later_; }

  // A subject and in how many ways it can be decided about.
  struct Factor {
    Subject subject;
    BigCount count;
  };
  // The parts of a partitioned plan, in order. Counted once for each set of residuals.
  std::vector<Factor> parts(const Plan& plan);
  // What is decided whatever the partition is: intermediates and Sums.
  const std::vector<Factor>& shared() const { return shared_; }
  // Takes the way of number `index`, below num_ways(), to decide about all factors, the last
  // changing fastest. The decisions so far must include the partition that the factors are of.
  void decide(const std::vector<Factor>& factors, BigCount index,
              ScheduleSpace::Decisions& decisions);
  // Its inverse; nothing if no way decides about the factors of a partitioned plan as the
  // directives do.
  std::optional<BigCount> index_of_way(const Plan& plan, const std::vector<Factor>& factors,
                                       std::span<const Directive> directives);

  // Checks on schedules drawn at random that what is offered about a subject depends on decisions
  // about it alone. If not, says which construct does otherwise.
  std::optional<std::string> why_not_factored() const;

 private:
  std::optional<std::string> why_not_factored(Random& random) const;

  const Energy& energy_;
  const ConstructRegistry& constructs_;
  ScheduleSpace::Decisions start_;
  std::vector<const Construct*> later_;
  PartitionWalk partitions_;
  SubjectWalk subjects_;
  std::vector<Factor> shared_;
  std::map<std::vector<ResidualRef>, BigCount> part_counts_;
};

// The product of the counts.
BigCount num_ways(const std::vector<FactoredTree::Factor>& factors);

}  // namespace thallo
