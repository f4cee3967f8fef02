// Gradients through a solve, against differences of solves.
#include "core/embed/pull_back.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/embed/energy_solver.h"

namespace thallo {
namespace {

using testing::HasSubstr;

// An energy with data, and how a number L = Σ weight X is made of its solution.
struct PulledProblem {
  std::string text;
  std::map<std::string, Shape> shapes;
  FieldValues arrays;  // unknowns at their start, and arrays
  std::map<std::string, double> params;
  std::map<std::string, std::vector<std::int32_t>> maps;
  FieldValues weights;

  SolverOptions options = [] {
    SolverOptions o = SolverOptions::until_converged();
    o.num_iterations = 400;
    o.function_tolerance = 0;
    o.gradient_tolerance = 1e-13;
    return o;
  }();
};

class Pulled {
 public:
  explicit Pulled(PulledProblem problem, const std::string& backend = "cpu")
      : problem_(std::move(problem)), solver_(load(problem_.text, backend)) {
    for (auto& [name, values] : problem_.arrays) solver_.bind(name, values, problem_.shapes[name]);
    for (auto& [name, values] : problem_.maps) solver_.bind(name, values, problem_.shapes[name]);
    start_ = problem_.arrays;
  }

  // L at the solution from the start.
  double number() {
    for (auto& [name, values] : problem_.weights)
      std::ranges::copy(start_[name], problem_.arrays[name].begin());
    for (const auto& [name, value] : problem_.params) solver_.bind(name, value);
    const auto summary = solver_.solve(problem_.options);
    if (!summary) throw InternalError(summary.error().message(), __FILE__, __LINE__);
    double sum = 0;
    for (const auto& [name, weights] : problem_.weights)
      for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * problem_.arrays[name][i];
    return sum;
  }
  Expected<FieldValues> gradients(const std::vector<std::string>& inputs) {
    number();
    return solver_.pull_back(problem_.weights, inputs);
  }
  // The derivative of L by an entry of an input.
  double difference(const std::string& input, std::size_t i) {
    double& entry =
        problem_.params.contains(input) ? problem_.params[input] : problem_.arrays.at(input)[i];
    const double at = entry, h = 3e-3 * std::max(1.0, std::abs(at));
    const auto slope = [&](double width) {
      entry = at + width;
      const double above = number();
      entry = at - width;
      const double below = number();
      entry = at;
      return (above - below) / (2 * width);
    };
    return (4 * slope(h / 2) - slope(h)) / 3;
  }

  void expect_gradients_of_differences(const std::vector<std::string>& inputs,
                                       double tolerance = 1e-4) {
    const auto found = gradients(inputs);
    ASSERT_TRUE(found) << found.error().message();
    for (const std::string& input : inputs) {
      const std::vector<double>& gradient = found->at(input);
      double most = 0;
      for (const double entry : gradient) most = std::max(most, std::abs(entry));
      EXPECT_GT(most, 1e-8) << input;
      for (std::size_t i = 0; i < gradient.size(); ++i)
        EXPECT_NEAR(gradient[i], difference(input, i), tolerance * std::max(most, 0.03))
            << input << " " << i;
    }
  }

  EnergySolver& solver() { return solver_; }
  PulledProblem& problem() { return problem_; }

 private:
  static EnergySolver load(const std::string& text, const std::string& backend) {
    auto solver = EnergySolver::load_text(text, "energy.lua",
                                          {.backend = backend, .precision = Precision::Double});
    if (!solver) throw InternalError(solver.error().message(), __FILE__, __LINE__);
    return *std::move(solver);
  }

  PulledProblem problem_;
  EnergySolver solver_;
  FieldValues start_;
};

// A decay is fitted to data that it does not fit: residuals are as large as what they fit.
PulledProblem decay(const std::string& loss) {
  PulledProblem p;
  p.text = R"(
local K, U = Dims("K", "U")
Inputs { c = Unknown(double2, {U}), t = Array(double, {K}), y = Array(double, {K}), w = Param(double) }
local k, u = K(), U()
local r = Residuals { fit = w * (c(0)(0) * exp(-c(0)(1) * t(k)) - y(k)), prior = 0.3 * (c(u)(1) - 1) }
)" + loss;
  for (int k = 0; k < 9; ++k) {
    p.arrays["t"].push_back(0.25 * k);
    p.arrays["y"].push_back(2 * std::exp(-0.25 * k) + 0.6 * std::sin(5.0 * k));
  }
  p.arrays["c"] = {1.5, 0.8};
  p.shapes = {{"c", {1}}, {"t", {9}}, {"y", {9}}};
  p.params = {{"w", 1.3}};
  p.weights = {{"c", {0.7, -1.1}}};
  return p;
}

TEST(PullBackTest, OfAFitWithLargeResidualsIsThatOfDifferences) {
  for (const char* backend : {"interpreter", "cpu", "cuda"})
    if (make_backend(backend))
      Pulled(decay(""), backend).expect_gradients_of_differences({"y", "t", "w"});
}

TEST(PullBackTest, KnowsTheSecondDerivativesOfLosses) {
  for (const char* loss : {"cauchy", "huber", "tukey", "geman_mcclure"}) {
    SCOPED_TRACE(loss);
    Pulled(decay("r.fit:loss(" + std::string(loss) + "(2.5))"))
        .expect_gradients_of_differences({"y", "w"}, 1e-4);
  }
}

TEST(PullBackTest, GoesThroughIntermediatesMapsSumsAndExclusions) {
  PulledProblem p;
  p.text = R"(
local W, H, E = Dims("W", "H", "E")
Inputs { X = Unknown(double2, {W, H}), A = Array(double2, {W, H}), held = Array(uint8, {W, H}),
         w = Param(double), s = Array(double, {E}), from = Sparse({E}, {W, H}), to = Sparse({E}, {W, H}) }
local x, y, e = W(), H(), E()
X:Exclude(eq(held(x, y), 1))
local d = X(to(e)) - X(from(e))
local bend = ComputedArray("bend", {e}, sin(d(0)) + d(1) * d(1))
Residuals { fit = w * (X(x, y) - A(x, y)), bend = s(e) * bend(e), row = 0.2 * (Sum({x}, X(x, y)(0) * X(x, y)(1)) - 1) }
)";
  p.shapes = {{"X", {3, 2}}, {"A", {3, 2}}, {"held", {3, 2}},
              {"s", {5}},    {"from", {5}}, {"to", {5}}};
  for (int i = 0; i < 12; ++i) {
    p.arrays["A"].push_back(std::sin(1.7 * i));
    p.arrays["X"].push_back(0.1 * i);
    p.weights["X"].push_back(std::cos(0.9 * i));
  }
  p.arrays["held"] = {0, 0, 1, 0, 0, 0};
  p.arrays["s"] = {1, 0.5, 2, 0.7, 1.1};
  p.params = {{"w", 0.8}};
  p.maps = {{"from", {0, 0, 1, 0, 2, 0, 0, 1, 1, 1}}, {"to", {1, 0, 2, 0, 2, 1, 1, 1, 0, 0}}};
  Pulled(std::move(p)).expect_gradients_of_differences({"A", "s", "w"});
}

// More unknowns than are factored: JtJ is solved with by conjugate gradients.
TEST(PullBackTest, OfALargeEnergyIsThatOfDifferences) {
  PulledProblem p;
  p.text = R"(
local N = Dims("N")
Inputs { X = Unknown(double, {N}), A = Array(double, {N}), w = Param(double) }
local n = N()
local r = Residuals { fit = X(n) - A(n), smooth = w * Select(InBounds(n + 1), X(n + 1) - X(n), 0) }
r.smooth:loss(cauchy(0.4)))";
  for (int i = 0; i < 700; ++i) {
    p.arrays["A"].push_back((i / 50 % 2) + 0.2 * std::sin(1.3 * i));
    p.arrays["X"].push_back(0);
    p.weights["X"].push_back(i == 340 ? 1 : 0);
  }
  p.shapes = {{"X", {700}}, {"A", {700}}};
  p.params = {{"w", 1.5}};
  Pulled pulled(std::move(p));
  const auto found = pulled.gradients({"A", "w"});
  ASSERT_TRUE(found) << found.error().message();
  for (const std::size_t i : {335u, 340u, 341u, 350u})
    EXPECT_NEAR(found->at("A")[i], pulled.difference("A", i), 1e-4) << i;
  EXPECT_NEAR(found->at("w")[0], pulled.difference("w", 0), 1e-4);
}

// Rotations are moved by steps, and the numbers of L are those that the poses store.
TEST(PullBackTest, OfPosesIsThatOfDifferences) {
  PulledProblem p;
  p.text = R"(
local P, M = Dims("P", "M")
Inputs { X = Unknown(SE3, {P}), q = Array(double3, {M}), seen = Array(double3, {M, P}), w = Param(double) }
local m, i = M(), P()
Residuals { fit = w * (X(i) * q(m) - seen(m, i)), near = 0.5 * (X(i) * Vector(0, 0, 0)) }
)";
  for (int m = 0; m < 5; ++m) {
    for (int c = 0; c < 3; ++c) p.arrays["q"].push_back(std::sin(3.0 * m + c));
  }
  for (int i = 0; i < 2; ++i) {
    for (int m = 0; m < 5; ++m)
      for (int c = 0; c < 3; ++c)
        p.arrays["seen"].push_back(std::cos(2.0 * m + c + 0.3 * i) + 0.2 * i);
    for (const double number : {0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) p.arrays["X"].push_back(number);
    for (const double weight : {0.3, -0.2, 0.5, 0.7, -0.4, 0.9, 0.1})
      p.weights["X"].push_back(weight);
  }
  p.shapes = {{"X", {2}}, {"q", {5}}, {"seen", {5, 2}}};
  p.params = {{"w", 0.7}};
  Pulled(std::move(p)).expect_gradients_of_differences({"seen", "q", "w"});
}

TEST(PullBackTest, EntriesAtTheirBoundsStay) {
  PulledProblem p;
  p.text = R"(
local N = Dims("N")
Inputs { X = Unknown(double, {N}), A = Array(double, {N}) }
local n = N()
X:bounds(0, 1)
Residuals { fit = X(n) - A(n), near = 0.5 * Select(InBounds(n + 1), X(n + 1) - X(n), 0) }
)";
  p.arrays = {{"X", {0.5, 0.5, 0.5, 0.5}}, {"A", {-2, 0.4, 0.7, 3}}};
  p.shapes = {{"X", {4}}, {"A", {4}}};
  p.weights = {{"X", {1, 2, 3, 4}}};
  Pulled pulled(std::move(p));
  pulled.expect_gradients_of_differences({"A"});
  EXPECT_EQ(pulled.gradients({"A"})->at("A")[0], 0);
}

// Poses have more numbers than a step of them, so that what comes behind them moves up.
TEST(PullBackTest, BoundsBehindPosesAreThoseOfTheirEntries) {
  PulledProblem p;
  p.text = R"(
local P, N = Dims("P", "N")
Inputs { T = Unknown(SE3, {P}), X = Unknown(double, {N}), A = Array(double, {N}), seen = Array(double3, {P}) }
local i, n = P(), N()
X:bounds(0, 1)
Residuals { pose = T(i) * Vector(1, 2, 3) - seen(i), turn = 0.3 * (T(i) * Vector(0, 0, 0)), fit = X(n) - A(n) }
)";
  p.arrays = {
      {"T", {0, 0, 0, 0, 0, 0, 1}}, {"X", {0.5, 0.5}}, {"A", {-2, 0.4}}, {"seen", {1, 2.2, 3}}};
  p.shapes = {{"T", {1}}, {"X", {2}}, {"A", {2}}, {"seen", {1}}};
  p.weights = {{"X", {1, 3}}};
  const auto found = Pulled(std::move(p)).gradients({"A"});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->at("A")[0], 0);
  EXPECT_NEAR(found->at("A")[1], 3, 1e-6);
}

TEST(PullBackTest, OfABatchIsThatOfItsMembers) {
  PulledProblem p = decay("");
  p.text = R"(
local K, B = Dims("K"), Batch("B")
Inputs { c = Unknown(double2, {B}), t = Array(double, {K}), y = Array(double, {K, B}), w = Param(double) }
local k, b = K(), B()
Residuals { fit = w * (c(b)(0) * exp(-c(b)(1) * t(k)) - y(k, b)), prior = 0.3 * (c(b)(1) - 1) }
)";
  for (int k = 0; k < 9; ++k) p.arrays["y"].push_back(std::exp(-0.4 * k) + 0.1 * std::cos(3.0 * k));
  p.arrays["c"] = {1.5, 0.8, 1, 1};
  p.weights["c"] = {0.7, -1.1, 0.2, 0.5};
  p.shapes = {{"c", {2}}, {"t", {9}}, {"y", {9, 2}}};
  Pulled(std::move(p)).expect_gradients_of_differences({"y", "t", "w"});
}

std::string message_of(const Expected<FieldValues>& result) {
  return result ? "" : result.error().message();
}

TEST(PullBackTest, SaysWhatHasNoGradient) {
  Pulled pulled(decay(""));
  EXPECT_THAT(message_of(pulled.gradients({"z"})), HasSubstr("no array or param 'z'"));
  EXPECT_THAT(message_of(pulled.gradients({"c"})), HasSubstr("no array or param 'c'"));
  EXPECT_THAT(message_of(pulled.solver().pull_back({{"y", {1}}}, {"t"})),
              HasSubstr("no unknown 'y'"));
  EXPECT_THAT(message_of(pulled.solver().pull_back({{"c", {1}}}, {"t"})),
              HasSubstr("has 1 numbers; needed are 2"));
  pulled.problem().arrays["c"] = {9, 3};
  EXPECT_THAT(message_of(pulled.solver().pull_back({{"c", {1, 1}}}, {"t"})),
              HasSubstr("are no minimum"));
}

// The residuals know the sum of two numbers alone. Their sum has a gradient, a number has none.
TEST(PullBackTest, NeedsNoMoreThanWhatResidualsHold) {
  PulledProblem p;
  p.text = R"(
local N, U = Dims("N", "U")
Inputs { X = Unknown(double2, {U}), A = Array(double, {N}) }
local n = N()
Residuals { fit = X(0)(0) + X(0)(1) - A(n) }
)";
  p.arrays = {{"X", {0, 0}}, {"A", {1, 2, 6}}};
  p.shapes = {{"X", {1}}, {"A", {3}}};
  p.weights = {{"X", {1, 1}}};
  Pulled(p).expect_gradients_of_differences({"A"});
  p.weights = {{"X", {1, 0}}};
  EXPECT_THAT(message_of(Pulled(p).gradients({"A"})), HasSubstr("residuals leave"));
}

}  // namespace
}  // namespace thallo
