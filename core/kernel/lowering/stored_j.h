// A J stored as values in the order of the energy's own index maps (format structured), filled by
// the kernel `fill_j` at every linearization. Private to lowering.
#pragma once

#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// Stores the entries of J that are not constant. The result is `e` with its derivatives replaced by
// reads of the stored values.
PartExpressions lower_stored_j(ProgramBuilder& builder, const PartExpressions& e);

}  // namespace thallo
