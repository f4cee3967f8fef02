// A V-cycle of smoothed aggregation, an approximate inverse of a sparse, symmetric, positive
// definite matrix: symmetric and positive definite itself, so that it preconditions conjugate
// gradients. On each level a forward sweep of Gauss-Seidel goes before the coarse correction, and a
// backward one after it.
#pragma once

#include <memory>
#include <span>

#include "core/linear/linear_solver.h"
#include "core/linear/row_modes.h"

namespace thallo {

class SmoothedAggregation {
 public:
  // The pattern is of Csr, and outlives this object.
  explicit SmoothedAggregation(const MatrixPattern& pattern);
  SmoothedAggregation(const SmoothedAggregation&) = delete;
  SmoothedAggregation& operator=(const SmoothedAggregation&) = delete;
  ~SmoothedAggregation();

  // Makes the levels of the matrix with these values, which must stay where they are as long as it
  // is used. Returns false if the last level shows that it is not positive semidefinite.
  bool build(std::span<const double> values, const RowModes& modes);
  // z = M^-1 r
  void cycle(std::span<const double> r, std::span<double> z);
  // to = A x
  void multiply(std::span<const double> x, std::span<double> to) const;

  std::size_t num_levels() const;

 private:
  class Levels;
  std::unique_ptr<Levels> levels_;
};

}  // namespace thallo
