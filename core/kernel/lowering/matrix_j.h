// A J stored as matrices that a library multiplies (formats csr and dense). A kernel of the role
// `fill_j` fills them at every linearization. Private to lowering.
#pragma once

#include <cstddef>
#include <vector>

#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// The sum of `matrices` (positions in KernelProgram::matrices) is J.
struct MatrixJ {
  PartExpressions part;  // derivatives are reads of the stored values
  std::vector<std::size_t> matrices;
};
MatrixJ lower_csr_j(ProgramBuilder& builder, const PartExpressions& e);
// Returns the matrices, as MatrixJ has them.
std::vector<std::size_t> lower_dense_j(ProgramBuilder& builder, const PartExpressions& e);

// Ap += J^T (J p), by library.
void lower_matrix_product(ProgramBuilder& builder, const PartExpressions& e,
                          const std::vector<std::size_t>& matrices);

}  // namespace thallo
