#include "core/kernel/construct_lowering.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/schedule/construct.h"

namespace thallo {

// Defined here, not in the header, so that plugins and host share one type for dynamic_cast.
ConstructLowering::~ConstructLowering() = default;

bool can_do_both(const Plan& plan, PartRole a, PartRole b) {
  const auto& all = plan.extensions;
  return std::ranges::all_of(all, [&](const PlannedExtension& of_b) {
    return !of_b.concerns(b.part, b.role) ||
           std::ranges::any_of(all, [&](const PlannedExtension& of_a) {
             return of_a.concerns(a.part, a.role) && of_a.construct == of_b.construct &&
                    of_a.args == of_b.args;
           });
  });
}

void lower_extensions(const Plan& plan, KernelProgram& program) {
  for (const PlannedExtension& extension : plan.extensions) {
    const auto* lowering = dynamic_cast<const ConstructLowering*>(extension.construct);
    THALLO_ASSERT(lowering != nullptr, "the construct '{}' has no lowering",
                  extension.construct->name());
    for (Kernel& kernel : program.kernels) {
      if (kernel.part_role && extension.concerns(kernel.part, *kernel.part_role))
        lowering->lower(extension, program, kernel);
    }
  }
}

}  // namespace thallo
