// A dense JtJ, N x N over the unknown vector, for the dense solver or for the parts whose schedule
// stores JtJ dense. Parts add their entries to H, where JtJ = H + H^T. Private to lowering.
#pragma once

#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// `dense_jtj`: H[u][v] += dF_u dF_v.
void lower_dense_jtj(ProgramBuilder& builder, const PartExpressions& e);
// The statements of that kernel at a residual point, to be run by a kernel that computes dF anyway.
Block dense_jtj_entries(ProgramBuilder& builder, const PartExpressions& e);
// `dense_halves`: replaces H by H + H^T, in a matrix to which all has been added.
void lower_dense_halves(ProgramBuilder& builder, FieldId matrix, Phase phase);
// `dense_product`: Ap += JtJ p and state.PAp += p.JtJ p.
void lower_dense_product(ProgramBuilder& builder);

}  // namespace thallo
