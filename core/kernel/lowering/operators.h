// The linear operator in its forms: the kernels by which parts add JtJ p to Ap. Those that gather
// go to `gathers`, which launches them later; others are launched at once. Private to lowering.
#pragma once

#include <vector>

#include "core/kernel/lowering/gather_product.h"
#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// Jp of each residual, times its weight.
std::vector<ExprId> weighted(ProgramBuilder& builder, const PartExpressions& e,
                             std::vector<ExprId> jp);
// What the part adds to Ap: J^T times the factors, one for each residual.
std::vector<Addend> transposed_addends(ProgramBuilder& builder, const PartExpressions& e,
                                       const std::vector<ExprId>& factors);

// The part's share of the linear operator, computed from derivatives: Ap += dF (dF p) and state.PAp
// += p.JtJp. One kernel (`apply_jtjp`, `gather_jtjp`), or, when the strategy stores Jp, one that
// stores it (`apply_jp`) and one that multiplies it with Jt (`apply_jt`, `gather_jt`).
void lower_apply(ProgramBuilder& builder, const PartExpressions& e, ProductGathers& gathers);

// Keeps the kernel `model` of a part: state.PAp += |J move|^2. That of the last part takes half of
// the sum from the decrease that the model predicts of the step within the bounds.
void lower_model(ProgramBuilder& builder, const PartExpressions& e, bool is_last);

// A JtJ of affine accesses stored as diagonals (format structured): the kernel `fill_jtj` stores
// the diagonals of the upper triangle at every linearization, `gather_jtjp` applies them.
// Of the pieces of one part.
void lower_stored_jtj(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces,
                      ProductGathers& gathers);

// A dense JtJ, N x N over the unknown vector, for the dense solver or for the parts whose schedule
// stores JtJ dense. Parts add their entries to H, where JtJ = H + H^T.
//
// `dense_jtj`: H[u][v] += dF_u dF_v.
void lower_dense_jtj(ProgramBuilder& builder, const PartExpressions& e);
// The statements of that kernel at a residual point, to be run by a kernel that computes dF anyway.
Block dense_jtj_entries(ProgramBuilder& builder, const PartExpressions& e);
// `dense_halves`: replaces H by H + H^T, in a matrix to which all has been added.
Kernel dense_halves(ProgramBuilder& builder, FieldId matrix);
// `dense_product`: Ap += JtJ p and state.PAp += p.JtJ p.
void lower_dense_product(ProgramBuilder& builder);

// The linear operator of a solver that eliminates unknowns (docs/algorithms.md, "Elimination"). Its
// directions are p = (p_F, -V^-1 W^T p_F) in kept and eliminated unknowns. So an iteration first
// computes W^T p_F, the part of JtJ p_F in eliminated rows; `eliminate` makes p complete; and the
// kernels that follow compute JtJ p in kept rows, since it is 0 in eliminated ones.
//
// Makes and launches all of these kernels, for the parts whose expressions these are. Gathers come
// first, as in products.cpp.
void lower_eliminating_operator(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces,
                                ProductGathers& gathers);

}  // namespace thallo
