#pragma once

// The dense linear solve of the host backends.

#include <vector>

namespace thallo {

// x = (matrix + diag(damping))^-1 b, matrix row-major N x N symmetric, everything of length N. Rows
// and columns with free[i] == 0 and empty ones (zero diagonal) are replaced by the identity with
// right-hand side 0. The system is scaled to unit diagonal and factored by Cholesky in double; x =
// 0 when it is not positive definite or not finite.
std::vector<double> solve_dense(const std::vector<double>& matrix,
                                const std::vector<double>& damping, const std::vector<double>& free,
                                const std::vector<double>& b);

}  // namespace thallo
