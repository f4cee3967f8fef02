#include "core/cost/learned/network.h"

#include <Eigen/Core>

namespace thallo {
namespace {

// The slope of the activation below zero.
constexpr float Leak = 0.01F;

Eigen::Map<const Eigen::MatrixXf> view(const FloatMatrix& matrix) {
  return {matrix.values.data(), static_cast<Eigen::Index>(matrix.rows),
          static_cast<Eigen::Index>(matrix.columns)};
}
Eigen::Map<const Eigen::VectorXf> view(const std::vector<float>& vector) {
  return {vector.data(), static_cast<Eigen::Index>(vector.size())};
}
FloatMatrix stored(const Eigen::MatrixXf& matrix) {
  FloatMatrix result(static_cast<std::size_t>(matrix.rows()),
                     static_cast<std::size_t>(matrix.cols()));
  result.values.assign(matrix.data(), matrix.data() + matrix.size());
  return result;
}

Eigen::MatrixXf sums_of(const TermNetwork::Layer& layer, const Eigen::MatrixXf& inputs) {
  return (view(layer.weights) * inputs).colwise() + Eigen::VectorXf(view(layer.biases));
}

}  // namespace

TermNetwork::Pass TermNetwork::forward(const FloatMatrix& properties) const {
  Pass pass;
  Eigen::MatrixXf inputs =
      ((view(properties).colwise() - Eigen::VectorXf(view(means))).array().colwise() /
       Eigen::ArrayXf(view(deviations).array()))
          .cwiseMax(-MostDeviations)
          .cwiseMin(MostDeviations);
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
    pass.inputs[i] = stored(inputs);
    const Eigen::MatrixXf sums = sums_of(layers[i], inputs);
    inputs = sums.cwiseMax(Leak * sums);
  }
  pass.inputs.back() = stored(inputs);
  const Eigen::MatrixXf outputs = sums_of(layers.back(), inputs);
  pass.log_coefficients = stored(LargestLog * (outputs / LargestLog).array().tanh().matrix());
  return pass;
}

TermNetwork::Layers TermNetwork::gradient(const Pass& pass,
                                          const FloatMatrix& by_log_coefficients) const {
  Layers result;
  const Eigen::ArrayXXf squashed = view(pass.log_coefficients).array() / LargestLog;
  Eigen::MatrixXf by_sums = view(by_log_coefficients).array() * (1 - squashed.square());
  for (std::size_t i = layers.size(); i-- > 0;) {
    const auto inputs = view(pass.inputs[i]);
    result[i].weights = stored(by_sums * inputs.transpose());
    result[i].biases = stored(by_sums.rowwise().sum()).values;
    if (i == 0) break;
    const Eigen::ArrayXXf slopes =
        (inputs.array() < 0).select(Leak, Eigen::ArrayXXf::Ones(inputs.rows(), inputs.cols()));
    by_sums = ((view(layers[i].weights).transpose() * by_sums).array() * slopes).eval();
  }
  return result;
}

}  // namespace thallo
