#pragma once

// Turns the statements of a schedule text into a Schedule. Statements that change the partition
// (`r:merge(r.fit, r.reg)`) take effect in the order written, so that later ones can name the parts
// they made: the merge of a and b is `a_b`, split(r.a, i, j) gives `a_i_j` (`a_i` when i = j) and
// leaves the rest as `a`. Statements that contradict each other are faults (contradictions.h);
// among all others, the last one about a site counts. Every statement must be legal, even one that
// a later statement replaces, unless the replaced one is a copy of another part's statement
// (assume_schedule, split).
//
// Two methods belong to no construct: r.a:assume_schedule(r.b), which is followed by the copies of
// b's statements, and V0:set_coherent(b), a hint that does nothing.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/schedule/contradictions.h"
#include "core/schedule/schedule.h"
#include "core/schedule/statement.h"

namespace thallo {

// The decision of a statement at a site.
struct PlacedDirective {
  Directive directive;        // parts have the names in the plan
  std::size_t statement = 0;  // its position among the statements
  bool is_replaced = false;   // true if a later statement decides at the same site
};

// The meaning of a text, and what is wrong with it.
struct ScheduleReading {
  // In normal form; absent if there are faults.
  std::optional<Schedule> schedule;
  // The faults in the order of the text, each with its place. They are all unknown methods and all
  // misuses of set_coherent; or, without those, all faults of the first stage that has any, or of
  // assume_schedule. Consequences of a fault are not listed, because later stages decide about the
  // results of earlier ones.
  std::vector<Diagnostic> faults;
  // Sorted by stage and construct, then in the order of the text; only for stages before the
  // faults. A merge or split decides at the residuals that change their part. A statement may
  // decide at several sites, or at none, if it changes nothing about a partition.
  std::vector<PlacedDirective> directives;
};

ScheduleReading read_statements(const Energy& energy,
                                const std::vector<ScheduleStatement>& statements,
                                const ConstructRegistry& constructs,
                                Repetition repetition = Repetition::LastCounts);
// Returns the only fault, or one that lists them all, one per line. There must be a fault.
Diagnostic in_one(std::vector<Diagnostic> faults);

// Like read_statements(), for callers that need only the schedule; the Diagnostic lists the faults.
Expected<Schedule> read_schedule(const Energy& energy,
                                 const std::vector<ScheduleStatement>& statements,
                                 const ConstructRegistry& constructs);

}  // namespace thallo
