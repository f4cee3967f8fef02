// The steps of a part that stores its JtJ. Private to estimates.
#pragma once

#include "core/cost/pricing/estimate/part_kernels.h"

namespace thallo {

// Fills JtJ, from derivatives or from a stored J, and multiplies it in linear iterations.
void add_jtj_steps(const PartContext& context, PartSteps& result);
// Fills the N x N JtJ that the dense solver factorizes.
void add_dense_fill(const PartContext& context, PartSteps& result);
// Fills the JtJ in CSR that a sparse direct solver factorizes.
void add_csr_fill(const PartContext& context, PartSteps& result);
// JtJ of a dense J, by a library; multiplied in linear iterations.
void add_gram_steps(const PartContext& context, double rows, PartSteps& result);

}  // namespace thallo
