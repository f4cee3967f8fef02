// The kernels of the linear operator that gather Ap. The first of them starts it, Ap = D p + sum,
// so that no other kernel need clear it; all later ones, and scatters, add. Private to lowering.
#pragma once

#include <vector>

#include "core/kernel/accumulate.h"

namespace thallo {

// What such a kernel adds to p.Ap: its sum times p, or nothing, since an earlier kernel of the same
// product did.
enum class ProductShare { OfSum, Counted };

// Does the operator of a part gather Ap? Those that do come first.
bool gathers_product(const Part& part);

// Gathers Ap of every unknown scalar.
void gather_product(ProgramBuilder& builder, Kernel& kernel, std::vector<Addend> addends,
                    ProductShare share);

}  // namespace thallo
