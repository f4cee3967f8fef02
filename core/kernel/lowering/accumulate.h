// Sums over points, the form of every transposed product: JtF, JtJp, Jt of a stored Jp, the
// diagonals of JtJ. The terms say what is added where; whether the threads are the points, which
// scatter, or the elements, which gather, is a choice of the schedule and made by calling one or
// the other. Private to lowering.
#pragma once

#include <functional>
#include <vector>

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

// field[index].channel += value, for every point of `points` and of `loops`.
struct Addend {
  FieldId field;
  IndexId index;
  int channel = 0;
  std::vector<DomainId> points;
  std::vector<DomainId> loops;
  ExprId value;
  bool loops_are_parallel = false;  // where a point is a thread, so is a point of the loops
};

// One thread per point adds atomically, from serial loops over the loops. The points of all addends
// are `points`; `also` is what else is done there.
void scatter(Kernel& kernel, const std::vector<DomainId>& points,
             const std::vector<Addend>& addends, Block also = {});

// Called for every scalar of an element: `field[here].channel` gets `sum`. Writes the statements
// that make it so.
using AtElement =
    std::function<void(Block& body, FieldId field, IndexId here, int channel, ExprId sum)>;
// The sum is added to what is in memory, or stored there.
AtElement added_to_memory(ProgramBuilder& builder);
AtElement stored();

// One thread per element sums all addends of the element: it follows their indices backwards
// (invert_access) and tests that the point it comes to exists. Fields over the same dims share a
// section.
void gather(ProgramBuilder& builder, Kernel& kernel, const std::vector<Addend>& addends,
            const AtElement& finish);

}  // namespace thallo
