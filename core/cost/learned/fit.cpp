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
constexpr double PriorWeight = 3e-3;
constexpr std::size_t HiddenUnits = 32;
// A property that varies less than this has one value in all steps.
constexpr double LeastDeviation = 1e-6;
constexpr std::size_t BatchSize = 256;
// Errors beyond this logarithm count linearly, so that a few steps which no term explains do not
// decide.
constexpr double LargestSquared = 0.2;

struct FittedStep {
  StepFamily family;
  StepInputs inputs;
  double seconds;
  double weight;  // of its error; one in the mean
};

// Of a schedule's time, short steps are a small share. Of a problem with many measured steps, each
// says little that the others do not.
double weight_of(const MeasuredStep& step, std::size_t num_steps_of_problem) {
  return std::sqrt(step.seconds / static_cast<double>(num_steps_of_problem));
}

std::vector<FittedStep> steps_for(const TrainingSet& set, std::optional<std::size_t> left_out) {
  std::vector<std::size_t> num_steps(set.problems.size());
  for (const MeasuredStep& step : set.steps) ++num_steps[step.problem];
  std::vector<FittedStep> steps;
  double sum = 0;
  for (const MeasuredStep& step : set.steps) {
    if (step.problem == left_out) continue;
    steps.push_back({.family = family_of(step.work),
                     .inputs = inputs_of(step.work, step.program, set.device),
                     .seconds = step.seconds,
                     .weight = weight_of(step, num_steps[step.problem])});
    sum += steps.back().weight;
  }
  for (FittedStep& step : steps) step.weight *= static_cast<double>(steps.size()) / sum;
  return steps;
}

LinearCoefficients fit_linear(const std::vector<FittedStep>& steps) {
  constexpr std::size_t NumTerms = AllTerms.size();
  LinearCoefficients result;
  for (const StepFamily family : AllFamilies) {
    // Relative errors: the terms as shares of the measured time should add up to one.
    std::vector<double> gram(NumTerms * NumTerms), right(NumTerms, PriorWeight);
    for (std::size_t i = 0; i < NumTerms; ++i) gram[i * NumTerms + i] = PriorWeight;
    for (const FittedStep& step : steps) {
      if (step.family != family) continue;
      for (std::size_t i = 0; i < NumTerms; ++i) {
        const double share = step.inputs.terms[AllTerms[i]] / step.seconds;
        right[i] += share;
        for (std::size_t j = 0; j < NumTerms; ++j)
          gram[j * NumTerms + i] += share * step.inputs.terms[AllTerms[j]] / step.seconds;
      }
    }
    const std::vector<double> coefficients = non_negative_least_squares(gram, right);
    for (std::size_t i = 0; i < NumTerms; ++i)
      result.of_family[static_cast<std::size_t>(family)][AllTerms[i]] = coefficients[i];
  }
  return result;
}

// Sets means and deviations of each property over all steps.
void measure_properties(const FloatMatrix& properties, TermNetwork& network) {
  const auto count = static_cast<double>(properties.columns);
  for (std::size_t p = 0; p < properties.rows; ++p) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < properties.columns; ++i)
      sum += static_cast<double>(properties(p, i));
    const double mean = sum / count;
    for (std::size_t i = 0; i < properties.columns; ++i)
      squares += std::pow(static_cast<double>(properties(p, i)) - mean, 2);
    const double deviation = std::sqrt(squares / count);
    network.means.push_back(static_cast<float>(mean));
    network.deviations.push_back(deviation > LeastDeviation ? static_cast<float>(deviation) : 1);
  }
}

// The first layers begin at random, the last one at zero.
TermNetwork first_network(const FloatMatrix& properties, Random& random) {
  TermNetwork network;
  measure_properties(properties, network);
  const std::size_t sizes[] = {properties.rows, HiddenUnits, HiddenUnits, AllTerms.size()};
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    TermNetwork::Layer& layer = network.layers[i];
    layer.weights = FloatMatrix(sizes[i + 1], sizes[i]);
    layer.biases.assign(sizes[i + 1], 0);
    if (i + 1 == network.layers.size()) break;
    const double scale = std::sqrt(6.0 / static_cast<double>(sizes[i]));
    for (float& weight : layer.weights.values)
      weight = static_cast<float>(scale * (2 * random.uniform() - 1));
  }
  return network;
}

// Adam (Kingma and Ba 2015), with weight decay apart from the gradient (Loshchilov and Hutter
// 2019).
class Adam {
 public:
  Adam(const TermNetwork::Layers& layers, double decay) : decay_(static_cast<float>(decay)) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      first_[i] = {FloatMatrix(layers[i].weights.rows, layers[i].weights.columns),
                   std::vector<float>(layers[i].biases.size())};
      second_[i] = first_[i];
    }
  }

  void step(TermNetwork::Layers& layers, const TermNetwork::Layers& gradient, double rate) {
    ++steps_;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      for (float& weight : layers[i].weights.values)
        weight *= 1 - static_cast<float>(rate) * decay_;
      move(layers[i].weights.values, gradient[i].weights.values, first_[i].weights.values,
           second_[i].weights.values, rate);
      move(layers[i].biases, gradient[i].biases, first_[i].biases, second_[i].biases, rate);
    }
  }

 private:
  static constexpr float Beta1 = 0.9F, Beta2 = 0.999F, Epsilon = 1e-8F;

  void move(std::vector<float>& values, const std::vector<float>& gradient,
            std::vector<float>& first, std::vector<float>& second, double rate) const {
    const float bias1 = 1 - std::pow(Beta1, static_cast<float>(steps_));
    const float bias2 = 1 - std::pow(Beta2, static_cast<float>(steps_));
    for (std::size_t i = 0; i < values.size(); ++i) {
      first[i] = Beta1 * first[i] + (1 - Beta1) * gradient[i];
      second[i] = Beta2 * second[i] + (1 - Beta2) * gradient[i] * gradient[i];
      values[i] -=
          static_cast<float>(rate) / bias1 * first[i] / (std::sqrt(second[i] / bias2) + Epsilon);
    }
  }

  float decay_;
  int steps_ = 0;
  TermNetwork::Layers first_, second_;
};

// Replaces the logarithms of a step's coefficients, in a column, by the derivatives of the loss.
void differentiate_loss(const FittedStep& step, std::size_t column, FloatMatrix& by_log) {
  StepTerms terms = step.inputs.terms;
  for (std::size_t i = 0; i < AllTerms.size(); ++i)
    terms[AllTerms[i]] *= std::exp(static_cast<double>(by_log(i, column)));
  const double predicted = StepTimes::of(terms).total();
  const double error = std::log(predicted / step.seconds);
  const double by_predicted =
      step.weight * std::clamp(error, -LargestSquared, LargestSquared) / predicted;
  const StepTerms by_terms = total_by_terms(terms);
  for (std::size_t i = 0; i < AllTerms.size(); ++i) {
    const Term term = AllTerms[i];
    by_log(i, column) = static_cast<float>(by_predicted * by_terms[term] * terms[term]);
  }
}

FloatMatrix properties_of_steps(const std::vector<FittedStep>& steps) {
  FloatMatrix properties(property_names().size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (std::size_t p = 0; p < properties.rows; ++p)
      properties(p, i) = static_cast<float>(steps[i].inputs.properties[p]);
  return properties;
}

Expected<TermNetwork> fit_network(const std::vector<FittedStep>& steps, const FitOptions& options) {
  const FloatMatrix properties = properties_of_steps(steps);
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
      FloatMatrix batch(properties.rows, size);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t p = 0; p < batch.rows; ++p) batch(p, i) = properties(p, order[begin + i]);
      const TermNetwork::Pass pass = network.forward(batch);
      FloatMatrix by_log = pass.log_coefficients;
      for (std::size_t i = 0; i < size; ++i) differentiate_loss(steps[order[begin + i]], i, by_log);
      for (float& value : by_log.values) value /= static_cast<float>(size);
      adam.step(network.layers, network.gradient(pass, by_log), rate);
    }
  }
  return network;
}

}  // namespace

std::vector<std::string_view> fitted_model_names() { return {"learned-linear", "learned"}; }

Expected<void> check_fitted_model(std::string_view model) {
  const std::vector<std::string_view> names = fitted_model_names();
  if (std::ranges::find(names, model) != names.end()) return {};
  return fail("'{}' is no model that is fitted: {}", model, fmt::join(names, ", "));
}

Expected<LearnedModel> fit_model(std::string_view model, const TrainingSet& set,
                                 std::optional<std::size_t> left_out, const FitOptions& options) {
  if (auto known = check_fitted_model(model); !known) return fail(known.error());
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
      .fitted_to = fmt::format("{} times of steps of {} problems", steps.size(), num_problems),
      .coefficients = {}};
  if (model == "learned-linear") {
    result.coefficients = fit_linear(steps);
    return result;
  }
  auto network = fit_network(steps, options);
  if (!network) return fail(network.error());
  result.coefficients = std::make_shared<const TermNetwork>(*std::move(network));
  return result;
}

}  // namespace thallo
