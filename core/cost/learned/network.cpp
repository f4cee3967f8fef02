#include "core/cost/learned/network.h"

namespace thallo {
namespace {

// The slope of the activation below zero.
constexpr float Leak = 0.01F;

}  // namespace

TermNetwork::Pass TermNetwork::forward(const Eigen::MatrixXf& properties) const {
  Pass pass;
  pass.inputs[0] = ((properties.colwise() - means).array().colwise() / deviations.array())
                       .cwiseMax(-MostDeviations)
                       .cwiseMin(MostDeviations);
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
    const Eigen::MatrixXf sums = (layers[i].weights * pass.inputs[i]).colwise() + layers[i].biases;
    pass.inputs[i + 1] = sums.cwiseMax(Leak * sums);
  }
  const Eigen::MatrixXf outputs =
      (layers.back().weights * pass.inputs.back()).colwise() + layers.back().biases;
  pass.log_coefficients = LargestLog * (outputs / LargestLog).array().tanh().matrix();
  return pass;
}

TermNetwork::Layers TermNetwork::gradient(const Pass& pass,
                                          const Eigen::MatrixXf& by_log_coefficients) const {
  Layers result;
  const auto squashed = pass.log_coefficients.array() / LargestLog;
  Eigen::MatrixXf by_sums = by_log_coefficients.array() * (1 - squashed.square());
  for (std::size_t i = layers.size(); i-- > 0;) {
    result[i].weights = by_sums * pass.inputs[i].transpose();
    result[i].biases = by_sums.rowwise().sum();
    if (i == 0) break;
    const auto slopes =
        (pass.inputs[i].array() < 0)
            .select(Leak,
                    Eigen::MatrixXf::Ones(pass.inputs[i].rows(), pass.inputs[i].cols()).array());
    by_sums = ((layers[i].weights.transpose() * by_sums).array() * slopes).eval();
  }
  return result;
}

}  // namespace thallo
