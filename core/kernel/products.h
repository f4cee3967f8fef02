// The energy's own kernels, one file each. Private to lowering.
#pragma once

#include <cstddef>
#include <vector>

#include "core/kernel/gather_product.h"
#include "core/kernel/part_expressions.h"

namespace thallo {

// cost       state.CostSum += 0.5 F^2; the last part's kernel makes it the cost.
void lower_cost(ProgramBuilder& builder, const PartExpressions& e, bool is_last);

// jtf        b -= dF F,  d += dF^2,  blocks += dF dF of the same element        (b = -JtF)
// jtf_jtj    `also`, where it scatters: entries of JtJ.
void lower_jtf(ProgramBuilder& builder, const PartExpressions& e, Block also = {});

// apply_jtjp Ap += dF (dF p) and state.PAp += p.JtJp, or in two kernels with a stored Jp
//            between them.
void lower_apply(ProgramBuilder& builder, const PartExpressions& e, ProductGathers& gathers);

// fill_j     Stores what of J is no constant; the result computes with the stored values.
PartExpressions lower_stored_j(ProgramBuilder& builder, const PartExpressions& e);

// fill_j     J in matrices that libraries multiply (KernelProgram::matrices), whose sum it is.
struct MatrixJ {
  PartExpressions part;  // computes with the stored values
  std::vector<std::size_t> matrices;
};
MatrixJ lower_csr_j(ProgramBuilder& builder, const PartExpressions& e);
std::vector<std::size_t> lower_dense_j(ProgramBuilder& builder, const PartExpressions& e);
// Ap += J^T (J p), by library.
void lower_matrix_product(ProgramBuilder& builder, const PartExpressions& e,
                          const std::vector<std::size_t>& matrices);

// fill_jtj   Stores the diagonals of JtJ's upper triangle, and applies them.
void lower_stored_jtj(ProgramBuilder& builder, const PartExpressions& e, ProductGathers& gathers);

// fill_jtj   Stores the blocks of JtJ that are not zero, and applies them.
void lower_block_jtj(ProgramBuilder& builder, const PartExpressions& e);
// mirror_jtj Makes a CSR matrix of them, which a library applies.
void lower_csr_jtj(ProgramBuilder& builder, const PartExpressions& e);

// dense_jtj  H[u][v] += dF_u dF_v, where JtJ = H + H^T: for the dense solver, or stored so.
void lower_dense_jtj(ProgramBuilder& builder, const PartExpressions& e);
// Its statements at a residual point, for a kernel that computes dF anyway.
Block dense_jtj_entries(ProgramBuilder& builder, const PartExpressions& e);
// dense_halves   JtJ = H + H^T in place of H, once all parts have added to it.
void lower_dense_halves(ProgramBuilder& builder);
// dense_product  Ap += JtJ p and state.PAp += p.JtJ p.
void lower_dense_product(ProgramBuilder& builder);

// dot        state.PAp = p.Ap, where a library has multiplied.
void lower_dot(ProgramBuilder& builder);

}  // namespace thallo
