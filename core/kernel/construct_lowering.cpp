#include "core/kernel/construct_lowering.h"

#include "core/base/error.h"
#include "core/schedule/construct.h"

namespace thallo {

// Here, so that plugins and host agree on the type.
ConstructLowering::~ConstructLowering() = default;

void lower_extensions(const Plan& plan, KernelProgram& program) {
  for (const PlannedExtension& extension : plan.extensions) {
    const auto* lowering = dynamic_cast<const ConstructLowering*>(extension.construct);
    THALLO_ASSERT(lowering != nullptr, "the construct '{}' has no lowering",
                  extension.construct->name());
    for (Kernel& kernel : program.kernels) {
      const bool is_meant = extension.site == kernel.part ||
                            extension.site == MemberName{kernel.part, kernel.part_role}.text();
      if (!kernel.part.empty() && is_meant) lowering->lower(extension, program, kernel);
    }
  }
}

}  // namespace thallo
