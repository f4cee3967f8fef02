// The factorizations of Thallo's own solvers. Used by linear_solver.cpp.
#pragma once

#include <memory>

#include "core/linear/linear_solver.h"

namespace thallo {

std::unique_ptr<Factorization> make_dense_cholesky(const MatrixPattern& pattern);
std::unique_ptr<Factorization> make_sparse_cholesky(const MatrixPattern& pattern);

}  // namespace thallo
