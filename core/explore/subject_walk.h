// The decisions about one part, one intermediate or one Sum, apart from those about all others.
//
// Once the partition is decided, what constructs offer at a site of a part depends on the decisions
// about this part alone, and at an intermediate or a Sum on those about it alone. So the ways to
// decide about each multiply, and each can be walked by itself. (The sites of the solver's vectors
// depend on everything and are left out. FactoredTree checks that constructs keep to this.)
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/schedule_index.h"
#include "core/explore/schedule_space.h"

namespace thallo {

// What a site is about.
struct Subject {
  SiteKind kind = SiteKind::Part;  // Part for the part's products and roles, too
  std::string name;

  friend auto operator<=>(const Subject&, const Subject&) = default;
};
Subject subject_of(const Site& site);

class SubjectWalk {
 public:
  // The constructs, in stage order, are of later stages than the partition; they and the energy
  // must outlive the walk.
  SubjectWalk(const Energy& energy, const std::vector<const Construct*>& constructs);

  // The subjects of a partitioned plan but the solver's vectors: its parts in order, then the
  // others.
  std::vector<Subject> subjects(const Plan& plan) const;

  // In how many ways a subject can be decided about, when nothing is yet.
  BigCount count(const Plan& plan, const Subject& subject);
  // What differs from the default in the way of this number, which is less than count().
  std::vector<Directive> at(const Plan& plan, const Subject& subject, const BigCount& index);
  // The number of the way with these directives; nothing if there is none. Directives about other
  // subjects do not count.
  std::optional<BigCount> index_of(const Plan& plan, const Subject& subject,
                                   std::span<const Directive> directives);

  // A decision that can be taken, with its choices.
  struct OpenSite {
    const Construct* construct = nullptr;
    Site site;
    std::vector<Choice> choices;
  };
  // The sites of a construct about a subject, as the plan has them.
  std::vector<OpenSite> open_sites(const Construct& construct, const Plan& plan,
                                   const Subject& subject) const;
  // Is called with all sites that are decided in some way to decide about a subject.
  using SiteVisitor = std::function<void(const OpenSite&)>;
  void visit_sites(const Plan& plan, const Subject& subject, const SiteVisitor& visitor) const;

 private:
  using Decisions = ScheduleSpace::Decisions;

  // A way to decide the stages before the low-level one, whose sites multiply.
  struct Leaf {
    std::vector<Directive> directives;
    BigCount end;  // the ways of this leaf and of all before it
  };
  using Leaves = std::vector<Leaf>;
  // Those of the parts that were asked for last are kept; a reference holds until the next call.
  const Leaves& leaves(const Plan& plan, const Subject& subject);
  std::vector<OpenSite> low_level_sites(const Plan& plan, const Subject& subject) const;
  Plan plan_at(const Leaf& leaf, Plan plan) const;

  struct Walk {
    const Subject& subject;
    std::function<void(const Decisions&)> leaf_visitor;
    SiteVisitor site_visitor;
  };
  void visit(const Walk& walk, const Decisions& decisions, std::size_t construct,
             std::size_t site) const;

  const Energy& energy_;
  std::vector<const Construct*> walked_;  // of the stages before the low-level one
  std::vector<const Construct*> low_level_;
  // By the residuals of a part, and by the subject if it is none.
  std::map<std::pair<std::vector<ResidualRef>, Subject>, Leaves> leaves_;
  std::size_t num_leaves_ = 0;
};

}  // namespace thallo
