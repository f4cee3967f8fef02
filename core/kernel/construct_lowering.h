#pragma once

// How a construct changes generated code. A Construct that is also a ConstructLowering records each
// choice as a PlannedExtension of the Plan (Construct::apply, core/schedule/construct.h). When a
// program has been made, lower() is handed every kernel of the part (or of the one role) that the
// extension is about, with all its statements, and may replace them. What it changes is part of the
// kernel, hence of its canonical key; the program must still compute the same operator.

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
  std::string_view part;
  Role role = Role::Cost;
};

// Can the kernel of role `a` do the work of role `b`, too? Yes, if every extension that concerns b
// concerns a as well, with the same arguments, so that b loses nothing that the schedule asks for.
// Extensions that concern a alone then apply to the work of both.
bool can_do_both(const Plan& plan, PartRole a, PartRole b);

// Hands the kernels of the program to the lowerings of the plan's extensions, in the order of the
// extensions. InternalError when the construct of an extension is no ConstructLowering.
void lower_extensions(const Plan& plan, KernelProgram& program);

}  // namespace thallo
