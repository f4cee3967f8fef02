// The passes over the expressions of a kernel, in the order of generate.h. New nodes and domains
// are added to `graph`. Private to code generation.
#pragma once

#include <span>

#include "core/energy/energy.h"
#include "core/kernel/kernel.h"

namespace thallo {

// A body puts each node once, where its domains run; so no Sum may run over a domain that a loop
// around it, or a Sum inside it, runs over as well. Such Sums get domains of their own.
void separate_domains(ExprGraph& graph, Kernel& kernel);

// Greedy factoring of sums. A factor that the most terms share is taken out (boolean factors count
// ten times, so that work under a false mask is skipped as a whole), and the rest is factored
// again. A factor that may be infinite, as data are that mark missing elements, stays behind the
// masks of its terms: b*x + c*x is x*(b + c) only if x is finite where b and c are both 0. `fields`
// are those of the program.
void factor_sums(std::span<const Field> fields, ExprGraph& graph, Kernel& kernel);

// Common partial sums and products: operands that several n-ary nodes share become one node of
// their own, the largest use count first, products before sums. The new nodes are held together by
// Identity, which code generation looks through.
void share_partials(ExprGraph& graph, Kernel& kernel);

}  // namespace thallo
