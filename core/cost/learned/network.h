#pragma once

// A network that corrects the terms of a step: from its properties (step_inputs.h) through two
// hidden layers to a positive coefficient for each term, as in Anderson et al. 2021, section 4.
// Without weights each coefficient is one, so that a network which learned little predicts as the
// analytic model does.

#include <array>
#include <cstddef>
#include <vector>

namespace thallo {

// Column by column.
struct FloatMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<float> values;

  FloatMatrix() = default;
  FloatMatrix(std::size_t its_rows, std::size_t its_columns)
      : rows(its_rows), columns(its_columns), values(its_rows * its_columns) {}
  float& operator()(std::size_t row, std::size_t column) { return values[column * rows + row]; }
  float operator()(std::size_t row, std::size_t column) const {
    return values[column * rows + row];
  }
};

class TermNetwork {
 public:
  struct Layer {
    FloatMatrix weights;  // outputs x inputs
    std::vector<float> biases;
  };
  // The last one has an output for each term.
  using Layers = std::array<Layer, 3>;

  // A property counts as (property - mean) / deviation, but no more than this.
  static constexpr float MostDeviations = 4;
  // The logarithms of coefficients lie between -LargestLog and LargestLog.
  static constexpr float LargestLog = 2;

  std::vector<float> means, deviations;  // of the properties
  Layers layers;

  // What an evaluation of several steps computes, one in each column.
  struct Pass {
    std::array<FloatMatrix, 3> inputs;  // of each layer
    FloatMatrix log_coefficients;       // one row a term
  };
  // `properties` has a step in each column.
  Pass forward(const FloatMatrix& properties) const;
  // Returns the derivatives of a loss by weights and biases, given those by the logarithms of the
  // coefficients.
  Layers gradient(const Pass& pass, const FloatMatrix& by_log_coefficients) const;
};

}  // namespace thallo
