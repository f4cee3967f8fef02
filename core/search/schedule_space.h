#pragma once

// The space of schedules of an energy: the tree of all decisions that the constructs offer, stage
// by stage and site by site. The tree is walked and never held in memory, since what a site offers
// depends on the decisions before it. The low-level stage (launch shapes and the like) multiplies
// the number of schedules without being interesting in combination: visit() and count() leave it at
// its defaults, sample() draws it at random, and complete() draws it for a schedule that visit()
// came to.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/schedule/precision.h"
#include "core/schedule/schedule.h"

namespace thallo {

class ScheduleSpace {
 public:
  // The energy, constructs and limit must outlive this object. Constructs may offer to store
  // numbers in less than `precision`, the working precision, which is double or float. With a
  // limit, the space contains only schedules that store no more than the limit allows.
  ScheduleSpace(const Energy& energy, const ConstructRegistry& constructs,
                Precision precision = Precision::Float, const StorageLimit* limit = nullptr);

  // Called with a schedule and its plan; returns false to end the walk.
  using Visitor = std::function<bool(const Schedule&, const Plan&)>;
  // Visits all schedules in a fixed order, the default schedule first. Returns false if the visitor
  // ended the walk.
  bool visit(const Visitor& visitor) const;

  // Returns how many schedules a walk would visit, but counts no further than `limit`.
  std::int64_t count(std::int64_t limit) const;

  struct Sample {
    Schedule schedule;
    Plan plan;
  };
  // Draws a schedule by taking one of the choices at every site, all equally likely. The same seed
  // gives the same schedule. With a limit, choices that fit so far can leave a later site without
  // any legal choice; then the draw is repeated, and after a hundred attempts the result is the
  // default schedule.
  //
  // Only one sample of four may make choices that raise Plan::product_tolerance, the error allowed
  // in JtJp (to keep a product in halves is such a choice). The tolerance holds for a plan as a
  // whole: in an energy with many sites almost every sample would have such a choice somewhere, and
  // hardly any product would be checked against the working precision.
  Sample sample(std::uint64_t seed) const;
  // Draws the low-level stage in the same way, for a schedule that visit() reached.
  Sample complete(const Schedule& schedule, const Plan& plan, std::uint64_t seed) const;

  // A node of the tree: the plan of the decisions so far.
  struct Decisions {
    Plan plan;
    std::vector<Directive> directives;  // what differs from the default
  };
  // Returns the root, where nothing is decided.
  Decisions start() const;

  // A node with the place of the next decision.
  struct Node {
    Decisions decisions;
    std::size_t construct = 0;  // in stage order
    std::size_t site = 0;       // one of the construct's sites in the plan so far
  };
  // A legal choice at a site.
  struct Offer {
    Choice choice;
    bool is_default = false;
  };
  // What can be decided next at a node. There may be no offer if a limit forbids all of them.
  struct Fork {
    const Construct* construct = nullptr;
    Site site;
    std::vector<Offer> offers;
  };
  Node root() const { return {.decisions = start()}; }
  // Moves the node on to the next site where something is decided, and returns what is offered
  // there. Returns nothing if everything is decided; without `low_level`, as soon as only low-level
  // decisions are left.
  std::optional<Fork> next_fork(Node& node, bool low_level) const;
  // Returns the node behind the fork if this offer is taken there.
  Node taken(const Node& node, const Fork& fork, const Offer& offer) const;

  // Takes the choice with this number at a site.
  static void decide(const Energy& energy, const Construct& construct, const Site& site,
                     const std::vector<Choice>& choices, std::size_t choice, Decisions& decisions);

 private:
  std::vector<Offer> offers(const Construct& construct, const Plan& plan, const Site& site) const;
  bool visit(Node node, const Visitor& visitor) const;
  struct Dice;
  // Draws what the node leaves open. Returns false if some site has no legal choice, which only a
  // limit can cause.
  bool draw(Dice& dice, Node& node) const;
  void take(const Construct& construct, const Site& site, const Offer& offer,
            Decisions& decisions) const;

  const Energy& energy_;
  Precision precision_;
  const StorageLimit* limit_;
  std::vector<const Construct*> constructs_;  // in stage order
  std::size_t num_walked_ = 0;                // those before the low-level ones
};

}  // namespace thallo
