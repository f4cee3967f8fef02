// Covariances of unknowns at a solution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// An element of an unknown, by its coordinates in the order of the unknown's dims: {"X", {3, 5}}.
struct UnknownElement {
  std::string unknown;
  std::vector<std::int64_t> at;
};

// The rows and columns of (Jᵀ w J)⁻¹ that belong to some elements: the covariance of their
// estimates if the residuals have unit variance, as in Ceres. J has derivatives by the step of an
// element (its tangent channels, core/energy/manifold.h), w are the weights of robust losses.
struct Covariance {
  // The first row of each element, and the number of rows.
  std::vector<std::size_t> offsets = {0};
  std::vector<double> values;  // row by row

  std::size_t num_rows() const { return offsets.back(); }
  double at(std::size_t row, std::size_t column) const { return values[row * num_rows() + column]; }
};

// Returns the number of rows of a covariance of the elements. Fails if one does not exist.
Expected<std::size_t> count_rows(const Energy& energy, const Binding& binding,
                                 std::span<const UnknownElement> elements);

// Computes the covariance in double from the definition of the energy, at the unknowns of the
// binding, which must be valid. Rows of what is excluded or held are 0, as it is known. Fails if an
// element does not exist, or if J is rank-deficient; the message names an element that the
// residuals do not determine.
Expected<Covariance> covariance(const Energy& energy, const Binding& binding,
                                std::span<const UnknownElement> elements);

}  // namespace thallo
