// How every oracle that is Ceres solves.
#pragma once

#include "tests/support/ceres_oracle.h"

namespace ceres {
class Problem;
}

namespace thallo::test {

// By Levenberg-Marquardt with sparse Cholesky. The unknowns of the result are left to the caller,
// whose parameter blocks they are.
CeresResult solve_with_ceres(ceres::Problem& problem, const CeresOptions& options);

}  // namespace thallo::test
