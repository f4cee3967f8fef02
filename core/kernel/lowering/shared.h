// Shared intermediates, whose direction the plan stores: what they take of p, and what they give to
// Ap, is computed once at each of their points instead of wherever they are read. With s the
// intermediate of the unknowns, whose derivative is S, and K the derivative of the residuals with s
// as an unknown of its own, a linear iteration computes
//
//   s' = S p    Ap = Kt K (p, s')    Ap += St As
//
// where As is what Kt K has added at s. This is JtJp, by the chain rule. Only Jp and what a linear
// iteration adds to know of it; JtF, blocks and stored products have derivatives by the unknowns.
// Private to lowering.
#pragma once

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

// True if the plan says so of the intermediate, and the solver has linear iterations. An
// intermediate that depends on eliminated unknowns is not shared.
bool is_shared(ProgramBuilder& builder, std::size_t intermediate);
// Has Jp and Jt end at the intermediate. Must precede the differentiation of what reads it.
void share(ProgramBuilder& builder, std::size_t intermediate);

// A channel of a field: that of an intermediate's channel. Its channels are cut into chunks of 4, 2
// and 1, each a field of its own, so that a chunk is read and added to at once.
struct SharedChannel {
  FieldId field;
  int channel = 0;
};
// Where the derivative in the direction is; the first call launches its kernel.
SharedChannel direction_of_shared(ProgramBuilder& builder, SharedIntermediate& shared, int channel);
// Where Jt Jp is added up at the intermediate; the first call clears it.
SharedChannel adjoint_of_shared(ProgramBuilder& builder, SharedIntermediate& shared, int channel);
// Launches the kernels that add St As to Ap. To be called behind all that adds to As.
void lower_adjoints(ProgramBuilder& builder);

}  // namespace thallo
