#pragma once

// A network that corrects the terms of a step: from its properties (step_inputs.h) through two hidden
// layers to a positive coefficient for each term, as in Anderson et al. 2021, section 4. Without
// weights each coefficient is one, so that a network which learned little predicts as the analytic
// model does.

#include <array>

#include <Eigen/Core>

namespace thallo {

class TermNetwork {
 public:
  struct Layer {
    Eigen::MatrixXf weights;  // outputs x inputs
    Eigen::VectorXf biases;
  };
  // The last one has an output for each term.
  using Layers = std::array<Layer, 3>;

  // A property counts as (property - mean) / deviation, but no more than this.
  static constexpr float MostDeviations = 4;
  // The logarithms of coefficients lie between -LargestLog and LargestLog.
  static constexpr float LargestLog = 2;

  Eigen::VectorXf means, deviations;  // of the properties
  Layers layers;

  // What an evaluation of several steps computes, one in each column.
  struct Pass {
    std::array<Eigen::MatrixXf, 3> inputs;  // of each layer
    Eigen::MatrixXf log_coefficients;       // one row a term
  };
  // `properties` has a step in each column.
  Pass forward(const Eigen::MatrixXf& properties) const;
  // Returns the derivatives of a loss by weights and biases, given those by the logarithms of the
  // coefficients.
  Layers gradient(const Pass& pass, const Eigen::MatrixXf& by_log_coefficients) const;
};

}  // namespace thallo
