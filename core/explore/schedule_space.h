#pragma once

// The space of schedules of an energy: the tree of all decisions that the constructs offer, stage
// by stage and site by site. It is walked, never held: what a site offers depends on the decisions
// before it. The low-level stage (launch shapes and the like, which multiply without being
// interesting in combination) is left at its defaults by walks and drawn by samples; complete()
// draws it for a schedule that a walk came to.

#include <cstdint>
#include <functional>
#include <vector>

#include "core/schedule/schedule.h"

namespace thallo {

class ScheduleSpace {
 public:
  // Both must outlive it. The working precision decides what constructs offer below it.
  ScheduleSpace(const Energy& energy, const ConstructRegistry& constructs,
                bool double_precision = false);

  // A schedule and the plan it makes. Return false to end the walk.
  using Visitor = std::function<bool(const Schedule&, const Plan&)>;
  // In a fixed order, the default schedule first. False when the visitor ended it.
  bool visit(const Visitor& visitor) const;

  // How many schedules a walk would visit, counted up to `limit`.
  std::int64_t count(std::int64_t limit) const;

  struct Sample {
    Schedule schedule;
    Plan plan;
  };
  // At every site one of the choices, each as likely, but for those that loosen what JtJp is held
  // to (Plan::product_tolerance, of a plan as a whole): where there are many sites almost every
  // schedule would have one of them, and hardly a product be held to the working precision. They
  // are drawn from in one schedule of four. The same seed gives the same schedule.
  Sample sample(std::uint64_t seed) const;
  // A schedule that a walk visited, and a low-level stage drawn in this way.
  Sample complete(const Schedule& schedule, const Plan& plan, std::uint64_t seed) const;

 private:
  struct Decisions {
    Plan plan;
    std::vector<Directive> directives;  // what differs from the default
  };
  bool visit(Decisions& decisions, std::size_t construct, std::size_t site,
             const Visitor& visitor) const;
  Decisions start() const;
  struct Dice;
  void draw(const std::vector<const Construct*>& constructs, Dice& dice,
            Decisions& decisions) const;
  static void decide(const Energy& energy, const Construct& construct, const Site& site,
                     const std::vector<Choice>& choices, std::size_t choice, Decisions& decisions);

  const Energy& energy_;
  bool double_precision_;
  // In stage order.
  std::vector<const Construct*> walked_;
  std::vector<const Construct*> low_level_;
};

}  // namespace thallo
