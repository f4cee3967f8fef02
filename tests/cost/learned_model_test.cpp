// Learned models: what their files make of a step, and models that are corrected.

#include "core/cost/learned/learned_model.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/cost/learned/corrected_model.h"
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

std::string quoted(const auto& names) {
  std::string text;
  for (const auto& name : names) text += fmt::format("{}\"{}\"", text.empty() ? "" : ",", name);
  return text;
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string all = text;
  for (std::size_t i = 1; i < count; ++i) all += "," + text;
  return all;
}

// The file of a model with the rest of it.
std::string file_of(const std::string& kind, const std::string& rest) {
  std::vector<std::string_view> terms;
  for (const Term term : AllTerms) terms.push_back(to_string(term));
  return fmt::format(
      R"({{"thallo_model":1,"kind":"{}","device":"a card","fitted_to":"3 steps","terms":[{}],)"
      R"("properties":[{}],{}}})",
      kind, quoted(terms), quoted(property_names()), rest);
}

// Each term counts half.
std::string linear_file() {
  const std::string coefficients = repeated("0.5", AllTerms.size());
  std::string families;
  for (const StepFamily family : AllFamilies)
    families += fmt::format(R"({}{{"family":"{}","coefficients":[{}]}})",
                            families.empty() ? "" : ",", to_string(family), coefficients);
  return file_of(
      "linear", fmt::format(R"("families":[{}],"means":[],"deviations":[],"layers":[])", families));
}

// One layer, whose outputs are the first property less 1, and the bias 0.5.
std::string network_file() {
  const std::size_t inputs = property_names().size();
  const std::string row = fmt::format("[1,{}]", repeated("0", inputs - 1));
  return file_of(
      "network",
      fmt::format(
          R"("families":[],"means":[1,{}],"deviations":[{}],"layers":[{{"weights":[{}],"biases":[{}]}}])",
          repeated("0", inputs - 1), repeated("1", inputs), repeated(row, AllTerms.size()),
          repeated("0.5", AllTerms.size())));
}

std::unique_ptr<const CostModel> model_of(const std::string& text) {
  auto model = parse_learned_model("mine", "m.json", text);
  EXPECT_TRUE(model.has_value()) << model.error().message();
  return *std::move(model);
}

StepWork sample_step() {
  StepWork step;
  step.features.points = 4;  // the first property is the logarithm of their number
  step.features.must_read = 1e6;
  return step;
}

std::string fault_of(const std::string& text) {
  const auto model = parse_learned_model("mine", "m.json", text);
  return model ? "" : model.error().message();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(LearnedModel, CorrectsTheTermsOfAStep) {
  const StepWork step = sample_step();
  const DeviceSpec device = test::sample_spec();
  const StepTerms terms = terms_of(step, {}, device);
  double sum = 0;
  for (const Term term : AllTerms) sum += terms[term];
  EXPECT_DOUBLE_EQ(model_of(linear_file())->seconds(step, {}, device), 0.5 * sum);

  // All terms are multiplied by exp(2 tanh(output / 2)).
  const double factor = std::exp(2 * std::tanh((std::log(4.0) - 1 + 0.5) / 2));
  EXPECT_NEAR(model_of(network_file())->seconds(step, {}, device),
              factor * StepTimes::of(terms).total(), 1e-6 * factor * sum);
}

TEST(LearnedModel, SplitsItsTimeByWhatAStepWaitsFor) {
  const DeviceSpec device = test::sample_spec();
  for (const std::string& file : {linear_file(), network_file()}) {
    const auto model = model_of(file);
    const double seconds = model->seconds(sample_step(), {}, device);
    const TimeParts parts = model->parts(sample_step(), {}, device);
    EXPECT_NEAR(parts.total(), seconds, 1e-9 * seconds);
    EXPECT_GT(parts[Wait::Memory], 0);
    EXPECT_EQ(parts[Wait::Unknown], 0);
  }
}

TEST(LearnedModel, SaysWhatIsWrongWithAFileOrIsOfAnotherDevice) {
  const std::string text = linear_file();
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
  EXPECT_THAT(fault_of(replaced(network_file(), "\"biases\":[0.5,", "\"biases\":[")),
              HasSubstr("the sizes of its layer 1 do not fit"));
  const auto model = model_of(linear_file());
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
