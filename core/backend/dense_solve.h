#pragma once

// The dense linear solve of the host backends.

#include <vector>

namespace thallo {

// Solves (matrix + diag(damping)) x = b and returns x. The matrix is symmetric, N x N, row-major;
// damping, free and b have length N. Rows and columns with free[i] == 0, and those whose damped
// diagonal entry is 0, are replaced by the identity with right-hand side 0. The system is scaled to
// unit diagonal and factored by Cholesky in double. x = 0 when the system is not positive definite
// or not finite.
std::vector<double> solve_dense(const std::vector<double>& matrix,
                                const std::vector<double>& damping, const std::vector<double>& free,
                                const std::vector<double>& b);

}  // namespace thallo
