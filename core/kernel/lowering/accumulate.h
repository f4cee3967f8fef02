// Kernels that sum over points, as every transposed product does: JtF, JtJp, Jt of a stored Jp, the
// diagonals of JtJ. Addends say what is added where. The schedule chooses for each space of
// unknowns whether a thread stands for a point and scatters, or for an element and gathers:
// lowering calls scatter() or gather() with the same addends. Private to lowering.
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
  bool loops_are_parallel = false;  // scatter(): the points of the loops are threads, too
};

// One thread per point runs the addends' loops serially and adds atomically. `points` are the
// points of every addend; `also` are further statements of a thread.
void scatter(Kernel& kernel, const std::vector<DomainId>& points,
             const std::vector<Addend>& addends, Block also = {});

// Addends by whether their spaces of unknowns are gathered at.
struct Accumulation {
  std::vector<Addend> gathered;
  std::vector<Addend> scattered;
};
Accumulation accumulated(ProgramBuilder& builder, std::vector<Addend> addends, ComputeAt where);

// Called for every scalar of an element, with the sum of its addends: writes the statements by
// which `field[here].channel` gets it.
using AtElement =
    std::function<void(Block& body, FieldId field, IndexId here, int channel, ExprId sum)>;
// The sum is added to the value in memory, or replaces it.
AtElement added_to_memory(ProgramBuilder& builder);
AtElement stored();

// One thread per element sums all addends of the element: it follows their indices backwards
// (invert_access) and tests that the resulting point exists. Fields over the same dims share a
// section.
void gather(ProgramBuilder& builder, Kernel& kernel, const std::vector<Addend>& addends,
            const AtElement& finish);

}  // namespace thallo
