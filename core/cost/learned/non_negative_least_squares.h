#pragma once

// Least squares with non-negative coefficients: the x >= 0 with the least |A x - b|, by the
// active-set method of Lawson and Hanson (Solving Least Squares Problems, 1974, chapter 23).

#include <span>
#include <vector>

namespace thallo {

// `gram` is A^T A, n x n numbers, `right` is A^T b. Coefficients whose columns depend on others are
// zero. There are at most 3 n steps, so that rounding cannot make it cycle.
std::vector<double> non_negative_least_squares(std::span<const double> gram,
                                               std::span<const double> right);

}  // namespace thallo
