// The pass separate_domains. A body puts each node once, where its domains run; so no Sum may run
// over a domain that a loop around it, or a Sum inside it, runs over as well. Such Sums get domains
// of their own. Private to code generation.
#pragma once

#include "core/kernel/kernel.h"

namespace thallo {

// New nodes and domains are added to `graph`.
void separate_domains(ExprGraph& graph, Kernel& kernel);

}  // namespace thallo
