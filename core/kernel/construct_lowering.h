#pragma once

// How a construct generates code of its own. A Construct that is also a ConstructLowering records
// what was decided as a PlannedExtension of the Plan (construct.h: apply); when a program has been
// made, its lowering is handed every kernel of the part (or of the one role) that the extension is
// about, with all its statements, and may replace them. What it changes is part of the kernel,
// hence of its canonical key; the program must still compute the same operator.

#include <string_view>

#include "core/kernel/program.h"
#include "core/schedule/plan.h"

namespace thallo {

class ConstructLowering {
 public:
  virtual ~ConstructLowering();

  // `program.graph` makes new expressions. `kernel` may be given other statements, and the program
  // new buffers and fields; kernels are not added or removed.
  virtual void lower(const PlannedExtension& extension, KernelProgram& program,
                     Kernel& kernel) const = 0;
};

struct PartRole {
  std::string_view part, role;
};

// Can a kernel of the role `a` do the work of `b` too: is all that extensions say about b said
// about a? What they say about a alone then goes with both.
bool can_do_both(const Plan& plan, PartRole a, PartRole b);

// Hands the kernels of the program to the lowerings of the plan's extensions, in their order.
// InternalError when the construct of one is no ConstructLowering.
void lower_extensions(const Plan& plan, KernelProgram& program);

}  // namespace thallo
