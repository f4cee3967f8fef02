#include "core/cost/learned/fit.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/random.h"
#include "core/cost/learned/network.h"
#include "core/cost/learned/non_negative_least_squares.h"
#include "core/cost/model/analytic.h"

namespace thallo {
namespace {

constexpr std::size_t LeastSteps = 100;
// How much the coefficients of a sum of terms are drawn to one, in steps that would say so.
constexpr double PriorSteps = 3;
constexpr Eigen::Index HiddenUnits = 32;
constexpr std::size_t BatchSize = 256;
// Errors beyond this logarithm count linearly, so that a few steps which no term explains do not
// decide.
constexpr double LargestSquared = 0.2;
// A step of so many seconds has weight one. Of a schedule's time, short steps are a small share.
constexpr double UsualSeconds = 1e-5;

struct FittedStep {
  StepFamily family;
  StepInputs inputs;
  double seconds;
};

std::vector<FittedStep> steps_for(const TrainingSet& set, std::optional<std::size_t> left_out) {
  std::vector<FittedStep> steps;
  for (const MeasuredStep& step : set.steps) {
    if (step.problem == left_out) continue;
    steps.push_back({.family = family_of(step.work),
                     .inputs = inputs_of(step.work, step.program, set.device),
                     .seconds = step.seconds});
  }
  return steps;
}

LinearCoefficients fit_linear(const std::vector<FittedStep>& steps) {
  constexpr auto NumTerms = static_cast<Eigen::Index>(AllTerms.size());
  LinearCoefficients result;
  for (const StepFamily family : AllFamilies) {
    // Relative errors: the terms as shares of the measured time should add up to one.
    Eigen::MatrixXd gram = PriorSteps * 1e-3 * Eigen::MatrixXd::Identity(NumTerms, NumTerms);
    Eigen::VectorXd right = PriorSteps * 1e-3 * Eigen::VectorXd::Ones(NumTerms);
    for (const FittedStep& step : steps) {
      if (step.family != family) continue;
      Eigen::VectorXd shares(NumTerms);
      for (const Term term : AllTerms)
        shares(static_cast<Eigen::Index>(term)) = step.inputs.terms[term] / step.seconds;
      gram += shares * shares.transpose();
      right += shares;
    }
    const Eigen::VectorXd coefficients = non_negative_least_squares(gram, right);
    for (const Term term : AllTerms)
      result.of_family[static_cast<std::size_t>(family)][term] =
          coefficients(static_cast<Eigen::Index>(term));
  }
  return result;
}

// The first layers begin at random, the last one at zero.
TermNetwork first_network(const Eigen::MatrixXf& properties, Random& random) {
  TermNetwork network;
  network.means = properties.rowwise().mean();
  network.deviations = ((properties.colwise() - network.means).rowwise().squaredNorm() /
                        static_cast<float>(properties.cols()))
                           .cwiseSqrt();
  for (float& deviation : network.deviations)
    if (!(deviation > 1e-6F)) deviation = 1;
  const Eigen::Index sizes[] = {properties.rows(), HiddenUnits, HiddenUnits,
                                static_cast<Eigen::Index>(AllTerms.size())};
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    TermNetwork::Layer& layer = network.layers[i];
    layer.weights = Eigen::MatrixXf::Zero(sizes[i + 1], sizes[i]);
    layer.biases = Eigen::VectorXf::Zero(sizes[i + 1]);
    if (i + 1 == network.layers.size()) break;
    const double scale = std::sqrt(6.0 / static_cast<double>(sizes[i]));
    for (float& weight : layer.weights.reshaped())
      weight = static_cast<float>(scale * (2 * random.uniform() - 1));
  }
  return network;
}

// Adam (Kingma and Ba 2015), with weight decay apart from the gradient (Loshchilov and Hutter 2019).
class Adam {
 public:
  Adam(const TermNetwork::Layers& layers, double decay) : decay_(static_cast<float>(decay)) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      first_[i] = {Eigen::MatrixXf::Zero(layers[i].weights.rows(), layers[i].weights.cols()),
                   Eigen::VectorXf::Zero(layers[i].biases.size())};
      second_[i] = first_[i];
    }
  }

  void step(TermNetwork::Layers& layers, const TermNetwork::Layers& gradient, double rate) {
    ++steps_;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i].weights *= 1 - static_cast<float>(rate) * decay_;
      move(layers[i].weights, gradient[i].weights, first_[i].weights, second_[i].weights, rate);
      move(layers[i].biases, gradient[i].biases, first_[i].biases, second_[i].biases, rate);
    }
  }

 private:
  static constexpr float Beta1 = 0.9F, Beta2 = 0.999F, Epsilon = 1e-8F;

  template <class Matrix>
  void move(Matrix& value, const Matrix& gradient, Matrix& first, Matrix& second, double rate) {
    first = Beta1 * first + (1 - Beta1) * gradient;
    second = Beta2 * second + (1 - Beta2) * gradient.cwiseAbs2();
    const float bias1 = 1 - std::pow(Beta1, static_cast<float>(steps_));
    const float bias2 = 1 - std::pow(Beta2, static_cast<float>(steps_));
    value.array() -= static_cast<float>(rate) / bias1 * first.array() /
                     ((second.array() / bias2).sqrt() + Epsilon);
  }

  float decay_;
  int steps_ = 0;
  TermNetwork::Layers first_, second_;
};

// Sets `by_log` to the derivatives of the loss by the logarithms of a step's coefficients.
void differentiate_loss(const FittedStep& step, Eigen::Ref<Eigen::VectorXf> by_log) {
  StepTerms terms = step.inputs.terms;
  for (const Term term : AllTerms)
    terms[term] *= std::exp(static_cast<double>(by_log(static_cast<Eigen::Index>(term))));
  const double predicted = StepTimes::of(terms).total();
  const double error = std::log(predicted / step.seconds);
  const double weight = std::sqrt(step.seconds / UsualSeconds);
  const double by_predicted =
      weight * std::clamp(error, -LargestSquared, LargestSquared) / predicted;
  const StepTerms by_terms = total_by_terms(terms);
  for (const Term term : AllTerms) {
    by_log(static_cast<Eigen::Index>(term)) =
        static_cast<float>(by_predicted * by_terms[term] * terms[term]);
  }
}

Expected<TermNetwork> fit_network(const std::vector<FittedStep>& steps, const FitOptions& options) {
  const auto num_properties = static_cast<Eigen::Index>(property_names().size());
  Eigen::MatrixXf properties(num_properties, static_cast<Eigen::Index>(steps.size()));
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (Eigen::Index p = 0; p < num_properties; ++p)
      properties(p, static_cast<Eigen::Index>(i)) =
          static_cast<float>(steps[i].inputs.properties[static_cast<std::size_t>(p)]);
  Random random(options.seed);
  TermNetwork network = first_network(properties, random);
  Adam adam(network.layers, options.decay);
  std::vector<std::size_t> order(steps.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    if (options.stop.stop_requested()) return fail("fitting was stopped");
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    const double done = static_cast<double>(epoch) / options.epochs;
    const double rate =
        options.learning_rate * (0.01 + 0.99 * 0.5 * (1 + std::cos(std::numbers::pi * done)));
    for (std::size_t begin = 0; begin < order.size(); begin += BatchSize) {
      const std::size_t size = std::min(BatchSize, order.size() - begin);
      Eigen::MatrixXf batch(num_properties, static_cast<Eigen::Index>(size));
      for (std::size_t i = 0; i < size; ++i)
        batch.col(static_cast<Eigen::Index>(i)) =
            properties.col(static_cast<Eigen::Index>(order[begin + i]));
      const TermNetwork::Pass pass = network.forward(batch);
      Eigen::MatrixXf by_log = pass.log_coefficients;
      for (std::size_t i = 0; i < size; ++i)
        differentiate_loss(steps[order[begin + i]], by_log.col(static_cast<Eigen::Index>(i)));
      by_log /= static_cast<float>(size);
      adam.step(network.layers, network.gradient(pass, by_log), rate);
    }
  }
  return network;
}

}  // namespace

std::vector<std::string_view> fitted_model_names() { return {"learned-linear", "learned"}; }

Expected<LearnedModel> fit_model(std::string_view model, const TrainingSet& set,
                                 std::optional<std::size_t> left_out, const FitOptions& options) {
  const std::vector<FittedStep> steps = steps_for(set, left_out);
  if (steps.size() < LeastSteps) {
    return fail(
        "there are {} measured steps to fit to, and at least {} are needed: measure more by "
        "`thallo explore`",
        steps.size(), LeastSteps);
  }
  const std::size_t num_problems = set.problems.size() - (left_out ? 1 : 0);
  LearnedModel result{
      .device = set.device.name,
      .fitted_to = fmt::format("{} steps of {} problems", steps.size(), num_problems),
      .coefficients = {}};
  if (model == "learned-linear") {
    result.coefficients = fit_linear(steps);
    return result;
  }
  if (model != "learned") {
    return fail("'{}' is no model that is fitted: {}", model,
                fmt::join(fitted_model_names(), ", "));
  }
  auto network = fit_network(steps, options);
  if (!network) return fail(network.error());
  result.coefficients = std::make_shared<const TermNetwork>(*std::move(network));
  return result;
}

}  // namespace thallo
