// Learned models: their mathematics and their files.

#include "core/cost/learned/learned_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/cost/learned/corrected_model.h"
#include "core/cost/learned/network.h"
#include "core/cost/learned/non_negative_least_squares.h"
#include "core/cost/model/analytic.h"
#include "tests/cost/sample_spec.h"

namespace thallo {
namespace {

using testing::HasSubstr;

// The normal equations of a system of rows.
struct NormalEquations {
  std::size_t size;
  std::vector<double> gram, right;

  NormalEquations(const std::vector<std::vector<double>>& rows, const std::vector<double>& wanted)
      : size(rows.front().size()), gram(size * size), right(size) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t i = 0; i < size; ++i) {
        right[i] += rows[r][i] * wanted[r];
        for (std::size_t j = 0; j < size; ++j) gram[j * size + i] += rows[r][i] * rows[r][j];
      }
    }
  }
  // The direction in which the error falls, halved.
  std::vector<double> descent(const std::vector<double>& x) const {
    std::vector<double> result = right;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) result[i] -= gram[j * size + i] * x[j];
    return result;
  }
};

TEST(NonNegativeLeastSquares, IsTheUnconstrainedSolutionWhereThatIsPositive) {
  const NormalEquations equations({{2, 1}, {1, 3}, {0, 1}}, {3, 6.5, 2});
  EXPECT_THAT(non_negative_least_squares(equations.gram, equations.right),
              testing::Pointwise(testing::DoubleNear(1e-12), std::vector<double>{0.5, 2}));
}

// The conditions of Karush, Kuhn and Tucker, which hold at the minimum and nowhere else.
TEST(NonNegativeLeastSquares, IsOptimalForRandomSystems) {
  Random random(7);
  int num_zeros = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::vector<double>> rows(12, std::vector<double>(6));
    std::vector<double> wanted(12);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (double& entry : rows[r]) entry = random.normal();
      if (round % 2 == 0) rows[r][5] = rows[r][1] + rows[r][2];  // dependent columns
      wanted[r] = random.normal();
    }
    const NormalEquations equations(rows, wanted);
    const std::vector<double> x = non_negative_least_squares(equations.gram, equations.right);
    const std::vector<double> descent = equations.descent(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_GE(x[i], 0);
      ASSERT_LT(descent[i], 1e-6) << "round " << round;
      ASSERT_LT(std::abs(x[i] * descent[i]), 1e-6) << "round " << round;
      num_zeros += x[i] == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(num_zeros, 50);
}

FloatMatrix random_matrix(std::size_t rows, std::size_t columns, Random& random) {
  FloatMatrix matrix(rows, columns);
  for (float& value : matrix.values) value = static_cast<float>(random.normal());
  return matrix;
}

TermNetwork random_network(Random& random) {
  TermNetwork network;
  const std::size_t sizes[] = {5, 7, 6, AllTerms.size()};
  network.means.assign(5, 0.25F);
  network.deviations.assign(5, 2);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    network.layers[i].weights = random_matrix(sizes[i + 1], sizes[i], random);
    network.layers[i].biases = random_matrix(sizes[i + 1], 1, random).values;
  }
  return network;
}

TEST(TermNetwork, HasTheGradientOfDifferences) {
  Random random(3);
  TermNetwork network = random_network(random);
  const FloatMatrix properties = random_matrix(5, 4, random);
  const FloatMatrix by_outputs = random_matrix(AllTerms.size(), 4, random);
  const auto loss = [&] {
    const FloatMatrix outputs = network.forward(properties).log_coefficients;
    float sum = 0;
    for (std::size_t i = 0; i < outputs.values.size(); ++i)
      sum += outputs.values[i] * by_outputs.values[i];
    return sum;
  };
  const TermNetwork::Layers gradient = network.gradient(network.forward(properties), by_outputs);
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    for (const std::size_t i : {0, 3, 11}) {
      float& weight = network.layers[layer].weights.values[i];
      const float before = weight;
      constexpr float Step = 1e-2F;
      weight = before + Step;
      const float above = loss();
      weight = before - Step;
      const float below = loss();
      weight = before;
      EXPECT_NEAR((above - below) / (2 * Step), gradient[layer].weights.values[i], 0.05)
          << "layer " << layer << ", weight " << i;
    }
  }
}

TEST(Analytic, HasTheDerivativesOfDifferencesByTerms) {
  StepTerms terms;
  double seconds = 1e-6;
  for (const Term term : AllTerms) terms[term] = seconds *= 1.1;
  const StepTerms by_terms = total_by_terms(terms);
  for (const Term term : AllTerms) {
    const double step = 1e-6 * terms[term];
    StepTerms above = terms, below = terms;
    above[term] += step;
    below[term] -= step;
    const double difference = StepTimes::of(above).total() - StepTimes::of(below).total();
    EXPECT_NEAR(by_terms[term], difference / (2 * step), 1e-5) << to_string(term);
  }
}

LearnedModel linear_model() {
  LinearCoefficients linear;
  for (StepTerms& terms : linear.of_family)
    for (const Term term : AllTerms) terms[term] = 0.5;
  return {.device = "a card", .fitted_to = "3 steps of 1 problems", .coefficients = linear};
}

StepInputs sample_inputs() {
  StepInputs inputs{.terms = {}, .properties = std::vector<double>(property_names().size(), 1.0)};
  inputs.terms[Term::Move] = 2e-6;
  inputs.terms[Term::Start] = 1e-6;
  return inputs;
}

std::string fault_of(const std::string& text) {
  const auto model = parse_model("m.json", text);
  return model ? "" : model.error().message();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(LearnedModel, IsReadAsItWasWritten) {
  const std::string text = model_text(linear_model());
  const auto read = parse_model("m.json", text);
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(model_text(*read), text);
  EXPECT_DOUBLE_EQ(read->seconds(StepFamily::Map, sample_inputs()), 1.5e-6);
}

TEST(LearnedModel, SplitsItsTimeByWhatAStepWaitsFor) {
  const TimeParts linear = linear_model().parts(StepFamily::Map, sample_inputs());
  EXPECT_DOUBLE_EQ(linear[Wait::Memory], 1e-6);
  EXPECT_DOUBLE_EQ(linear[Wait::Launch], 0.5e-6);
  EXPECT_DOUBLE_EQ(linear.total(), 1.5e-6);

  Random random(9);
  StepInputs inputs = sample_inputs();
  for (const Term term : AllTerms) inputs.terms[term] = random.uniform(0, 1e-6);
  inputs.properties.resize(5);
  const LearnedModel network{
      .device = {},
      .fitted_to = {},
      .coefficients = std::make_shared<const TermNetwork>(random_network(random))};
  const double seconds = network.seconds(StepFamily::Map, inputs);
  EXPECT_NEAR(network.parts(StepFamily::Map, inputs).total(), seconds, 1e-9 * seconds);
  EXPECT_EQ(network.parts(StepFamily::Map, inputs)[Wait::Unknown], 0);
}

TEST(LearnedModel, SaysWhatIsWrongWithAFile) {
  const std::string text = model_text(linear_model());
  EXPECT_THAT(fault_of("{}"), HasSubstr("m.json: this is no cost model"));
  EXPECT_THAT(fault_of(text.substr(0, text.size() / 2)), HasSubstr("this is no cost model"));
  EXPECT_THAT(fault_of(replaced(text, "\"thallo_model\":1", "\"thallo_model\":2")),
              HasSubstr("version 2, and this Thallo knows version 1"));
  EXPECT_THAT(fault_of(replaced(text, "\"linear\"", "\"tree\"")), HasSubstr("of kind 'tree'"));
  EXPECT_THAT(fault_of(replaced(text, "\"kind\"", "\"sort\"")), HasSubstr("'kind' is missing"));
  EXPECT_THAT(fault_of(replaced(text, "\"start\"", "\"begin\"")),
              HasSubstr("knows other properties of steps"));
  EXPECT_THAT(fault_of(replaced(text, "\"family\":\"map\"", "\"family\":\"mop\"")),
              HasSubstr("the coefficients of family map are missing"));
  EXPECT_THAT(fault_of(replaced(text, "\"linear\"", "\"network\"")),
              HasSubstr("no mean and deviation"));
}

TEST(LearnedModel, SaysThatItIsOfAnotherDevice) {
  const auto model = make_learned_model("mine", linear_model());
  EXPECT_TRUE(model->is_fitted());
  EXPECT_EQ(model->caveat({.name = "a card"}), "");
  EXPECT_EQ(model->caveat({.name = "another"}),
            "the cost model mine was fitted on a card, not on another");
}

// Steps that a kernel of so many points takes, and longer than is predicted.
TrainingSet slow_steps(std::size_t count, Random& random) {
  TrainingSet set{.device = test::sample_spec()};
  set.problems = {"one"};
  for (std::size_t i = 0; i < count; ++i) {
    MeasuredStep step;
    step.work.features.points = static_cast<std::int64_t>(1000 + random.below(1'000'000));
    step.work.features.must_read = static_cast<double>(8 * step.work.features.points);
    const double predicted = default_cost_model().seconds(step.work, step.program, set.device);
    step.seconds = predicted * random.uniform(2, 4);
    set.steps.push_back(std::move(step));
  }
  return set;
}

double weighted_squares(const CostModel& model, const TrainingSet& set) {
  double sum = 0;
  for (const MeasuredStep& step : set.steps) {
    const double error = model.seconds(step.work, step.program, set.device) / step.seconds - 1;
    sum += std::sqrt(step.seconds) * error * error;
  }
  return sum;
}

TEST(CorrectedModel, IsNeverFurtherFromTheStepsThanItsPrior) {
  const std::shared_ptr<const CostModel> prior = make_analytic_model();
  Random random(5);
  for (const std::size_t count : {1, 2, 5, 40}) {
    const TrainingSet set = slow_steps(count, random);
    const auto corrected = corrected_model(prior, set);
    EXPECT_LT(weighted_squares(*corrected, set), 0.5 * weighted_squares(*prior, set)) << count;
    EXPECT_TRUE(corrected->is_fitted());
    const auto again = corrected_model(prior, set);
    const MeasuredStep& step = set.steps.front();
    EXPECT_EQ(again->seconds(step.work, step.program, set.device),
              corrected->seconds(step.work, step.program, set.device));
    const double parts = corrected->parts(step.work, step.program, set.device).total();
    EXPECT_NEAR(parts / corrected->seconds(step.work, step.program, set.device), 1, 1e-9);
    // A family without steps is predicted as before.
    StepWork clear = step.work;
    clear.kind = StepWork::Kind::Clear;
    EXPECT_DOUBLE_EQ(corrected->seconds(clear, step.program, set.device),
                     prior->seconds(clear, step.program, set.device));
  }
}

}  // namespace
}  // namespace thallo
