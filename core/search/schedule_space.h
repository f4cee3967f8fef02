#pragma once

// The space of schedules of an energy: the tree of all decisions that the constructs offer, stage
// by stage and site by site. The tree is walked and never held in memory, since what a site offers
// depends on the decisions before it. The low-level stage (launch shapes and the like) multiplies
// the number of schedules without being interesting in combination: visit() and count() leave it at
// its defaults, sample() draws it at random, and complete() draws it for a schedule that visit()
// came to.
//
// With pins (core/schedule/pins.h), the space has those schedules only that keep them. At a pinned
// site, nothing but the pinned choice is offered. At a site before it, nothing is offered that
// makes it vanish: if something of a part is pinned, the part stays as it is. Low-level sites are
// walked if they are pinned.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/schedule/pins.h"
#include "core/schedule/precision.h"
#include "core/schedule/schedule.h"

namespace thallo {

class ScheduleSpace {
 public:
  // The energy, constructs and limit must outlive this object. Constructs may offer to store
  // numbers in less than `precision`, the working precision, which is double or float. With a
  // limit, the space contains only schedules that store no more than the limit allows.
  ScheduleSpace(const Energy& energy, const ConstructRegistry& constructs,
                Precision precision = Precision::Float, const StorageLimit* limit = nullptr,
                Pins pins = {});

  const Pins& pins() const { return pins_; }
  // Fails if no schedule keeps the pins, with the reason: because the limit does not allow one.
  Expected<void> check_pins() const;
  // True if the schedule, which must be legal, keeps the pins.
  bool keeps_pins(const Schedule& schedule) const {
    return pins_.are_kept_by(schedule, energy_, registry_);
  }

  // Called with a schedule and its plan; returns false to end the walk.
  using Visitor = std::function<bool(const Schedule&, const Plan&)>;
  // Visits all schedules in a fixed order; first, everything that is not pinned has its default.
  // Returns false if the visitor ended the walk.
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
  // default schedule, with the pins.
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
  // What can be decided next at a node. There may be no offer if a limit forbids all of them, or if
  // what is pinned of the solver's vectors does not go with what parts have decided.
  struct Fork {
    const Construct* construct = nullptr;
    Site site;
    std::vector<Offer> offers;
    bool is_pinned = false;

    // Null if it is not offered.
    const Offer* find(std::string_view label) const;
    const Offer* find_default() const;
  };
  Node root() const { return {.decisions = start()}; }
  // Moves the node on to the next site where something is decided, and returns what is offered
  // there. Returns nothing if everything is decided; without `low_level`, as soon as only low-level
  // decisions are left that are not pinned.
  std::optional<Fork> next_fork(Node& node, bool low_level) const;
  // Returns the node behind the fork if this offer is taken there.
  Node taken(const Node& node, const Fork& fork, const Offer& offer) const;

  // What is offered at a site to a plan of the decisions before it, for callers that walk a part of
  // the tree in their own way.
  std::vector<Offer> offers(const Construct& construct, const Plan& plan, const Site& site) const;
  // Decides at a site.
  void take(const Construct& construct, const Site& site, const Offer& offer,
            Decisions& decisions) const;

  // A node with the pins behind it.
  struct Completion {
    Decisions decisions;
    // False if some pin is not possible unless something else is decided otherwise than by default.
    bool has_all_pins = true;
  };
  // Decides the pinned sites behind the node; all others have their defaults.
  Completion with_pins(Node node) const;
  // Returns a schedule of the space that decides what it can as the given one does, and the rest by
  // default. Decisions about parts are carried over to the parts that there are then. Returns
  // nothing if a limit forbids that. The given schedule must be legal.
  std::optional<Schedule> nearest(const Schedule& schedule) const;
  // A site that a decision for a strategy brings: of what is stored then, or where it is added up.
  struct BroughtSite {
    const Construct* construct = nullptr;
    Site site;
  };
  // Returns the sites of formats that the plan `after` has and `before` has not, in the order of
  // the tree, without those that are pinned.
  std::vector<BroughtSite> brought_sites(const Plan& before, const Plan& after) const;
  // Called with each schedule that differs from the given one in a single decision, and in what is
  // not possible together with it. A strategy is one decision together with all ways to decide
  // about the sites that it brings. The given one must be of the space. The limit is not looked at.
  void visit_neighbors(const Schedule& schedule,
                       const std::function<void(const Schedule&)>& visitor) const;

 private:
  bool visit(Node node, const Visitor& visitor) const;
  // Visits `edited`, in which `decided` was decided last, and all that decide otherwise than by
  // default at sites which that has brought.
  void visit_brought(const Schedule& schedule, const Plan& before, const EditedSchedule& edited,
                     std::vector<Directive>& decided,
                     const std::function<void(const Schedule&)>& visitor) const;
  struct Dice;
  // Draws what the node leaves open. Returns false if some site has no legal choice.
  bool draw(Dice& dice, Node& node) const;
  // Decides the pinned sites behind a node. Fails with the reason if some of them are not possible,
  // and decides the others. Without the solver's vectors, it says the same of all others, but makes
  // no low-level decisions.
  Expected<void> decide_pins(Node& node, bool with_vectors) const;
  // True if the pins behind the fork remain possible after this offer.
  bool leaves_pins(const Construct& construct, const Plan& plan, const Site& site,
                   const Offer& offer, bool with_vectors) const;
  bool is_default(const Construct& construct, const Plan& plan, const Site& site,
                  const Choice& choice) const;
  // Returns the offer at the fork that the schedule takes, or the first one.
  static const Offer& offer_of(const Schedule& schedule, const Fork& fork);

  const Energy& energy_;
  const ConstructRegistry& registry_;
  Precision precision_;
  const StorageLimit* limit_;
  Pins pins_;
  std::vector<const Construct*> constructs_;  // in stage order
  std::size_t num_walked_ = 0;                // those before the low-level ones
  // Those up to the last one with a pin, and up to the last one with a pin that is not of the
  // solver's vectors.
  std::size_t num_pinned_ = 0, num_pinned_beside_vectors_ = 0;
};

}  // namespace thallo
