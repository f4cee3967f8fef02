// What Poisson image editing should give: the normal equations, written down pixel by pixel and
// solved by a sparse factorization in double.
#pragma once

#include "core/problem/driver.h"

namespace thallo::test {

// The largest difference of a channel between the run's result and the direct solve of the same
// pictures.
double farthest_from_direct_solve(const Run& run);

}  // namespace thallo::test
