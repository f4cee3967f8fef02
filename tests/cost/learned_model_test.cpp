// Learned models: their mathematics and their files.

#include "core/cost/learned/learned_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/random.h"
#include "core/cost/learned/network.h"
#include "core/cost/learned/non_negative_least_squares.h"
#include "core/cost/model/analytic.h"

namespace thallo {
namespace {

using testing::HasSubstr;

TEST(NonNegativeLeastSquares, IsTheUnconstrainedSolutionWhereThatIsPositive) {
  const Eigen::MatrixXd a{{2, 1}, {1, 3}, {0, 1}};
  const Eigen::VectorXd x{{0.5, 2}};
  const Eigen::VectorXd found =
      non_negative_least_squares(a.transpose() * a, a.transpose() * a * x);
  EXPECT_LT((found - x).norm(), 1e-12);
}

// The conditions of Karush, Kuhn and Tucker, which hold at the minimum and nowhere else.
TEST(NonNegativeLeastSquares, IsOptimalForRandomSystems) {
  Random random(7);
  int num_zeros = 0;
  for (int round = 0; round < 50; ++round) {
    Eigen::MatrixXd a(12, 6);
    Eigen::VectorXd b(12);
    for (double& entry : a.reshaped()) entry = random.normal();
    for (double& entry : b) entry = random.normal();
    if (round % 2 == 0) a.col(5) = a.col(1) + a.col(2);  // dependent columns
    const Eigen::MatrixXd gram = a.transpose() * a;
    const Eigen::VectorXd x = non_negative_least_squares(gram, a.transpose() * b);
    const Eigen::VectorXd descent = a.transpose() * (b - a * x);
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      ASSERT_GE(x(i), 0);
      ASSERT_LT(descent(i), 1e-6) << "round " << round;
      ASSERT_LT(std::abs(x(i) * descent(i)), 1e-6) << "round " << round;
      num_zeros += x(i) == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(num_zeros, 50);
}

TermNetwork random_network(Random& random) {
  TermNetwork network;
  const Eigen::Index sizes[] = {5, 7, 6, static_cast<Eigen::Index>(AllTerms.size())};
  network.means = Eigen::VectorXf::Constant(5, 0.25F);
  network.deviations = Eigen::VectorXf::Constant(5, 2);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    network.layers[i].weights.resize(sizes[i + 1], sizes[i]);
    network.layers[i].biases.resize(sizes[i + 1]);
    for (float& weight : network.layers[i].weights.reshaped())
      weight = static_cast<float>(random.normal());
    for (float& bias : network.layers[i].biases) bias = static_cast<float>(random.normal());
  }
  return network;
}

TEST(TermNetwork, HasTheGradientOfDifferences) {
  Random random(3);
  TermNetwork network = random_network(random);
  Eigen::MatrixXf properties(5, 4);
  for (float& property : properties.reshaped()) property = static_cast<float>(random.normal());
  Eigen::MatrixXf by_outputs(static_cast<Eigen::Index>(AllTerms.size()), 4);
  for (float& weight : by_outputs.reshaped()) weight = static_cast<float>(random.normal());
  const auto loss = [&] {
    return network.forward(properties).log_coefficients.cwiseProduct(by_outputs).sum();
  };
  const TermNetwork::Layers gradient = network.gradient(network.forward(properties), by_outputs);
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    for (const Eigen::Index i : {0, 3, 11}) {
      float& weight = network.layers[layer].weights.reshaped()(i);
      const float before = weight;
      constexpr float Step = 1e-2F;
      weight = before + Step;
      const float above = loss();
      weight = before - Step;
      const float below = loss();
      weight = before;
      EXPECT_NEAR((above - below) / (2 * Step), gradient[layer].weights.reshaped()(i), 0.05)
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
  EXPECT_THAT(fault_of(replaced(text, "\"map\"", "\"mop\"")),
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

}  // namespace
}  // namespace thallo
