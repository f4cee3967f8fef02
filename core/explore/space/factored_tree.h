// The tree of all schedules of an energy in factored form: the partition first, then the decisions
// about each part, intermediate and Sum. The latter are independent of each other, so their counts
// multiply (subject_walk.h).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/explore/space/partition_walk.h"
#include "core/explore/space/subject_walk.h"

namespace thallo {

class FactoredTree {
 public:
  // The energy and the constructs must outlive the tree. Without `low_level`, the low-level stage
  // keeps its defaults where it is not pinned.
  FactoredTree(const Energy& energy, const ConstructRegistry& constructs, Precision precision,
               bool low_level, const Pins& pins = {});
  FactoredTree(const FactoredTree&) = delete;
  FactoredTree& operator=(const FactoredTree&) = delete;

  const Energy& energy() const { return energy_; }
  const ConstructRegistry& constructs() const { return constructs_; }
  // The same tree, as all others walk it.
  const ScheduleSpace& space() const { return space_; }
  bool has_low_level() const { return has_low_level_; }
  // The root of the tree: nothing is decided, and parts are the groups of the text.
  const ScheduleSpace::Decisions& start() const { return start_; }
  const PartitionWalk& partitions() const { return partitions_; }
  SubjectWalk& subjects() { return subjects_; }
  // The constructs of the stages after the partition, in stage order. Without the low-level stage,
  // those of it are left out of which nothing is pinned.
  const std::vector<const Construct*>& later_constructs() const { return later_; }

  // A subject (a part, intermediate or Sum) and the number of ways to decide about it.
  struct Factor {
    Subject subject;
    BigCount count;
  };
  // Returns the factors of the parts of a partitioned plan, in order. A count is computed once for
  // each set of residuals.
  std::vector<Factor> parts(const Plan& plan);
  // The factors that do not depend on the partition: intermediates and Sums.
  const std::vector<Factor>& shared() const { return shared_; }
  // Decides about all factors in the way with number `index`, which is below num_ways(); the last
  // factor changes fastest. `decisions` must already include the partition that the factors belong
  // to.
  void decide(const std::vector<Factor>& factors, BigCount index,
              ScheduleSpace::Decisions& decisions);
  // Decides what is pinned of the solver's vectors.
  void decide_pinned_vectors(ScheduleSpace::Decisions& decisions) const;
  // The inverse of decide(). Returns nothing if no index gives these directives for the factors of
  // the plan.
  std::optional<BigCount> index_of_way(const Plan& plan, const std::vector<Factor>& factors,
                                       std::span<const Directive> directives);

  // Checks on random schedules that the choices offered about a subject depend only on decisions
  // about that subject, and that what is pinned of the solver's vectors is legal where it is for
  // each of them. If not, returns a sentence that says what depends on more.
  std::optional<std::string> why_not_factored() const;

 private:
  std::optional<std::string> why_not_factored(Random& random) const;

  const Energy& energy_;
  const ConstructRegistry& constructs_;
  bool has_low_level_;
  ScheduleSpace space_;
  ScheduleSpace::Decisions start_;
  std::vector<const Construct*> later_;
  PartitionWalk partitions_;
  SubjectWalk subjects_;
  std::vector<Factor> shared_;
  std::map<std::vector<ResidualRef>, BigCount> part_counts_;
};

// Returns the product of the factors' counts.
BigCount num_ways(const std::vector<FactoredTree::Factor>& factors);

}  // namespace thallo
