#pragma once

// A Schedule is a list of directives: what to decide differently from the default, as a value.
//
//   const Schedule schedule = ...;                           // from text, or put together
//   Expected<Plan> plan = make_plan(energy, schedule, constructs);
//   Expected<Schedule> normal = normal_form(energy, schedule, constructs);
//
// The normal form has no directive that decides what is decided anyway, names parts by their
// members and is sorted by stage, construct and the order of the construct's sites; two schedules
// with equal normal forms are the same schedule. text() of the normal form is what is printed, and
// reads back as the same schedule.

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

  // One directive a line, each with a line end. Constructs must be loaded.
  std::string text(const ConstructRegistry& constructs) const;
  // Of the text.
  Hash128 hash(const ConstructRegistry& constructs) const;

  friend bool operator==(const Schedule&, const Schedule&) = default;

 private:
  std::vector<Directive> directives_;
};

// Constructs by stage, then by name: the order in which their decisions are taken.
std::vector<const Construct*> in_stage_order(const ConstructRegistry& constructs);

// Fails with the reason of the first illegal directive and what would be legal at its site, or the
// name of a construct that is not loaded.
Expected<Plan> make_plan(const Energy& energy, const Schedule& schedule,
                         const ConstructRegistry& constructs);
Expected<Schedule> normal_form(const Energy& energy, const Schedule& schedule,
                               const ConstructRegistry& constructs);

}  // namespace thallo
