#pragma once

// What a schedule stores can be larger than any memory (a dense JtJ of a megapixel image has 10^12
// entries), and which schedules are legal must not depend on the device at hand: a limit says so,
// checked when sizes are known, before anything is allocated.

#include <cstdint>

#include "core/base/diagnostic.h"
#include "core/kernel/bind/sizes.h"

namespace thallo {

// Do all stored J, JtJ and Jp of the program, in the precision given, and the workspaces of
// libraries that multiply them take at most `limit` bytes? The message has the largest of them.
// Workspaces are known once the libraries are asked, which a backend does when the rest fits.
Expected<void> check_memory_limit(const KernelProgram& program, const ProgramSizes& sizes,
                                  bool double_precision, std::int64_t limit,
                                  std::int64_t workspaces = 0);

}  // namespace thallo
