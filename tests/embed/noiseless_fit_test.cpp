// Fits without noise: the cost goes to zero, where rounding changes it by much of itself.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/embed/energy_solver.h"
#include "core/solve/ending.h"

namespace thallo {
namespace {

struct Fit {
  std::string name;
  std::string text;
  std::size_t num_unknowns = 0;
  double start = 0;
  int most_steps = 0;  // in double; steps in float are as good as rounding lets them be
};

// All have N unknowns X. Of the last, one residual of second order, each step leaves a half.
const Fit Fits[] = {
    {"zeros", "local N = Dims('N')\nInputs { X = Unknown(float, {N}) }\nResiduals { r = X(N()) }",
     4, 3, 8},
    {"chain", R"(
local N = Dims("N")
Inputs { X = Unknown(float, {N}) }
local n = N()
Residuals { link = Select(InBounds(n + 1), X(n + 1) - X(n) - 1, X(n) - 7) })",
     6, 0.25, 8},
    {"turn", R"(
local N = Dims("N")
Inputs { X = Unknown(float, {N}) }
local n = N()
local c, s, p, q = cos(X(0)), sin(X(0)), 3 + n:asvalue(), 2 * n:asvalue() - 1
Residuals { x = c * p - s * q + X(1) - p, y = s * p + c * q + X(2) - q })",
     3, 0.1, 20},
    {"square", R"(
local N = Dims("N")
Inputs { X = Unknown(float, {N}) }
Residuals { r = X(N()) ^ 2 })",
     10, 1, 40},
};

class NoiselessFit : public testing::TestWithParam<Fit> {};

TEST_P(NoiselessFit, EndsWithEverySolverInBothPrecisions) {
  const Fit& fit = GetParam();
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    const std::string backend = precision == Precision::Double ? "interpreter" : "cpu";
    for (const SolverKind kind : {SolverKind::LevenbergMarquardt, SolverKind::GaussNewton}) {
      for (const char* linear_solver : {"pcg", "dense", "sparse_cholesky"}) {
        auto solver = EnergySolver::load_text(fit.text, fit.name + ".lua",
                                              {.backend = backend, .precision = precision});
        ASSERT_TRUE(solver) << solver.error().message();
        std::vector<double> x(fit.num_unknowns, fit.start);
        solver->bind("X", x).bind("N", static_cast<double>(fit.num_unknowns));
        SolverOptions options = SolverOptions::until_converged();
        options.solver = kind;
        options.linear_solver = linear_solver;
        const auto summary = solver->solve(options);
        ASSERT_TRUE(summary) << summary.error().message();
        const std::string what = std::string(linear_solver) + ": " + summary->brief();
        EXPECT_EQ(ending_of(*summary), Ending::Converged) << what;
        EXPECT_LT(summary->final_cost, precision == Precision::Double ? 1e-20 : 1e-9) << what;
        if (precision == Precision::Double) EXPECT_LE(summary->num_iterations, fit.most_steps);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, NoiselessFit, testing::ValuesIn(Fits),
                         [](const auto& info) { return info.param.name; });

// a exp(-b t) = y: what is measured in other units takes the same steps.
TEST(ScaledFit, TakesTheSameStepsInAllUnits) {
  constexpr std::string_view Decay = R"(
local N, U = Dims("N", "U")
Inputs { a = Unknown(double, {U}), b = Unknown(double, {U}), t = Array(double, {N}), y = Array(double, {N}) }
local n = N()
Residuals { fit = a(0) * exp(-b(0) * t(n)) - y(n) })";
  for (const double noise : {0.0, 0.03}) {
    int first_steps = 0;
    for (const double unit : {1.0, 1e9, 1e-9, 1e-12}) {
      std::vector<double> a = {unit}, b = {1}, t, y;
      for (int i = 0; i < 20; ++i) {
        t.push_back(0.2 * i);
        y.push_back(unit * (2.5 * std::exp(-0.7 * t.back()) + noise * std::sin(7.0 * i)));
      }
      auto solver = EnergySolver::load_text(Decay, "decay.lua", {.backend = "interpreter"});
      ASSERT_TRUE(solver) << solver.error().message();
      solver->bind("a", a).bind("b", b).bind("t", t).bind("y", y);
      const auto summary = solver->solve();
      ASSERT_TRUE(summary) << summary.error().message();
      EXPECT_EQ(ending_of(*summary), Ending::Converged) << summary->brief();
      if (first_steps == 0) first_steps = summary->num_iterations;
      EXPECT_NEAR(summary->num_iterations, first_steps, 2) << unit;
      EXPECT_NEAR(b[0], 0.7, noise == 0 ? 1e-7 : 0.1);
      EXPECT_NEAR(a[0] / unit, 2.5, noise == 0 ? 1e-7 : 0.2);
    }
  }
}

}  // namespace
}  // namespace thallo
