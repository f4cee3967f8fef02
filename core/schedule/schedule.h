#pragma once

// A Schedule is a list of directives, as a value. They say what to decide differently from the
// default.
//
//   const Schedule schedule = ...;                           // from text, or put together
//   Expected<Plan> plan = make_plan(energy, schedule, constructs);
//   Expected<Schedule> normal = normal_form(energy, schedule, constructs);
//
// The normal form has no directive that chooses a default, names parts by their members and is
// sorted by stage, construct and the order of the construct's sites. Two schedules with equal
// normal forms are the same schedule. What is printed is text() of the normal form, which reads
// back as the same schedule.

#include <string>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/schedule/construct.h"

namespace thallo {

class Schedule {
 public:
  Schedule() = default;
  explicit Schedule(std::vector<Directive> directives) : directives_(std::move(directives)) {}

  const std::vector<Directive>& directives() const { return directives_; }
  bool empty() const { return directives_.empty(); }

  // Returns one directive per line, each with a line break. Constructs must be loaded.
  std::string text(const ConstructRegistry& constructs) const;
  // Returns the hash of text().
  Hash128 hash(const ConstructRegistry& constructs) const;

  friend bool operator==(const Schedule&, const Schedule&) = default;

 private:
  std::vector<Directive> directives_;
};

// Returns the constructs by stage, then by name: the order in which their decisions are taken.
std::vector<const Construct*> in_stage_order(const ConstructRegistry& constructs);

// Both functions fail for the first illegal directive, with the reason and what would be legal at
// its site, and for a construct that is not loaded, with its name.
Expected<Plan> make_plan(const Energy& energy, const Schedule& schedule,
                         const ConstructRegistry& constructs);
Expected<Schedule> normal_form(const Energy& energy, const Schedule& schedule,
                               const ConstructRegistry& constructs);

// A schedule after some of its decisions were changed.
struct EditedSchedule {
  Schedule schedule;  // in normal form
  Plan plan;
  // A previous decision that is not possible together with the new ones, and the reason.
  struct Dropped {
    Directive directive;
    Diagnostic why;
  };
  std::vector<Dropped> dropped;
};
// Replaces the decisions at the sites of the directives `decided`, all at once, and keeps the rest
// of the schedule as far as it is still possible. Fails as make_plan() does if one of the
// directives is illegal.
Expected<EditedSchedule> edit(const Energy& energy, const Schedule& schedule,
                              const std::vector<Directive>& decided,
                              const ConstructRegistry& constructs);

}  // namespace thallo
