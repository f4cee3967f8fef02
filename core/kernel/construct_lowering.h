#pragma once

// Lets a construct change generated code. A Construct that is also a ConstructLowering records each
// choice as a PlannedExtension of the Plan (Construct::apply, core/schedule/construct.h). Once a
// program has been made, lower() receives every kernel of the part (or of the one role) that the
// extension is about, with all its statements, and may replace them. The changes are part of the
// kernel, hence of its canonical key; the program must still compute the same operator.

#include <string_view>

#include "core/kernel/program.h"
#include "core/schedule/plan.h"

namespace thallo {

class ConstructLowering {
 public:
  virtual ~ConstructLowering();

  // `program.graph` makes new expressions. Statements of `kernel` may be replaced, and buffers and
  // fields may be added to the program; kernels are neither added nor removed.
  virtual void lower(const PlannedExtension& extension, KernelProgram& program,
                     Kernel& kernel) const = 0;
};

struct PartRole {
  std::string_view part;
  Role role = Role::Cost;
};

// True if the kernel of role `a` can also do the work of role `b`. This holds if every extension
// that concerns b also concerns a, with the same arguments, so that b loses nothing that the
// schedule asks for. Extensions that concern a alone then apply to the work of both.
bool can_do_both(const Plan& plan, PartRole a, PartRole b);

// Passes the kernels of the program to the lowerings of the plan's extensions, in the order of the
// extensions. Throws InternalError if the construct of an extension is not a ConstructLowering.
void lower_extensions(const Plan& plan, KernelProgram& program);

}  // namespace thallo
