#pragma once

// A schedule may store products that exceed any memory: a dense JtJ of a megapixel image has 10^12
// entries. Which schedules are legal must not depend on the device at hand, so such a schedule is
// legal and bind() fails instead: it checks a memory limit when sizes are known, before anything is
// allocated.

#include <cstdint>

#include "core/base/diagnostic.h"
#include "core/kernel/bind/sizes.h"
#include "core/schedule/precision.h"

namespace thallo {

// Fails if the stored J, JtJ and Jp of the program, in the given working precision, and the
// workspaces of libraries that multiply them take more than `limit` bytes; names the largest
// buffer. `workspaces` (bytes) is known only after the libraries were asked for it, so a backend
// asks once the rest fits.
Expected<void> check_memory_limit(const KernelProgram& program, const ProgramSizes& sizes,
                                  Precision precision, std::int64_t limit,
                                  std::int64_t workspaces = 0);

}  // namespace thallo
