// Enumerates the decisions about one part, one intermediate or one Sum, independently of all
// others.
//
// Once the partition is decided, the choices offered at a site of a part depend only on decisions
// about this part, and those at an intermediate or a Sum only on decisions about it. So the counts
// multiply, and each can be enumerated by itself. The sites of the solver's vectors depend on
// everything and are left out; a pinned choice there must be legal if it is for each part alone,
// and the ways of a part for which it is not are left out. FactoredTree checks that constructs obey
// this.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/search/schedule_index.h"
#include "core/search/schedule_space.h"
#include "core/search/subject.h"

namespace thallo {

class SubjectWalk {
 public:
  // `constructs` are those of all stages after the partition, in stage order. They and the energy
  // must outlive the walk. The pins are those of the whole space. Without `low_level`, only what is
  // pinned of the low-level stage is decided.
  SubjectWalk(const Energy& energy, const ConstructRegistry& registry,
              const std::vector<const Construct*>& constructs, const Pins& pins, bool low_level);

  // Returns the subjects of a partitioned plan, except the solver's vectors: its parts in order,
  // then the others.
  std::vector<Subject> subjects(const Plan& plan) const;

  // Returns the number of ways to decide about a subject when nothing is decided about it yet.
  BigCount count(const Plan& plan, const Subject& subject);
  // Returns the directives that differ from the default in the way with this number, which is less
  // than count().
  std::vector<Directive> at(const Plan& plan, const Subject& subject, const BigCount& index);
  // Returns the number of the way with these directives; nothing if there is none. Directives about
  // other subjects are ignored.
  std::optional<BigCount> index_of(const Plan& plan, const Subject& subject,
                                   std::span<const Directive> directives);

  using Fork = ScheduleSpace::Fork;
  // Returns the sites of a construct about a subject, as they are in the plan.
  std::vector<Fork> open_sites(const Construct& construct, const Plan& plan,
                               const Subject& subject) const;
  // True if what is pinned of the solver's vectors is legal in the plan.
  bool allows_pinned_vectors(const Plan& plan) const;
  // Called with every site that some way to decide about a subject decides.
  using SiteVisitor = std::function<void(const Fork&)>;
  void visit_sites(const Plan& plan, const Subject& subject, const SiteVisitor& visitor) const;

 private:
  using Decisions = ScheduleSpace::Decisions;

  // A way to decide all stages before the low-level one. The counts of the low-level sites
  // multiply.
  struct Leaf {
    std::vector<Directive> directives;
    BigCount end;  // cumulative: the ways of this leaf and all before it
  };
  using Leaves = std::vector<Leaf>;
  // Leaves of the parts asked for last are cached; a reference is valid until the next call.
  const Leaves& leaves(const Plan& plan, const Subject& subject);
  // Returns the tree that has the pins about this subject alone. What is pinned of others does not
  // matter to it, and is not in the plans of this walk.
  const ScheduleSpace& tree_of(const Subject& subject) const {
    const auto pinned = pinned_trees_.find(subject);
    return pinned != pinned_trees_.end() ? pinned->second : open_tree_;
  }
  std::vector<Fork> low_level_sites(const Plan& plan, const Subject& subject) const;
  Plan plan_at(const Leaf& leaf, Plan plan) const;

  struct Walk {
    const Subject& subject;
    std::function<void(const Decisions&)> leaf_visitor;
    SiteVisitor site_visitor;
  };
  void visit(const Walk& walk, const Decisions& decisions, std::size_t construct,
             std::size_t site) const;

  const Energy& energy_;
  const ConstructRegistry& registry_;
  bool has_low_level_;
  ScheduleSpace open_tree_;                        // without pins
  std::map<Subject, ScheduleSpace> pinned_trees_;  // of the subjects that have pins
  std::vector<const Construct*> walked_;  // constructs of the stages before the low-level one
  std::vector<const Construct*> low_level_;
  // Keyed by the residuals of a part, or by the subject if it is not a part.
  std::map<std::pair<std::vector<ResidualRef>, Subject>, Leaves> leaves_;
  std::size_t num_leaves_ = 0;
};

}  // namespace thallo
