// Data that are not numbers are refused where they reach a residual, whatever way they take, and do
// no harm behind a condition.

#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <vector>

#include "core/embed/energy_solver.h"

namespace thallo {
namespace {

using testing::AllOf, testing::DoubleNear, testing::ElementsAre, testing::HasSubstr;

constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
constexpr double Infinity = std::numeric_limits<double>::infinity();

class MissingValues : public testing::TestWithParam<std::string> {
 protected:
  // Solves for three numbers X from 0. A has three values; S is the picture of two pixels, 1 and 3.
  Expected<SolverSummary> solve(const std::string& residuals, std::vector<double> a) {
    const std::string text = R"(
local N, W, H, L = Dims("N", "W", "H", "L")
Inputs { X = Unknown(double, {N}), A = Array(double, {N}), S = Array(double, {W, H}),
         T = Array(double, {W, H, L}), w = Param(double) }
local n = N()
local image, stack = SampledImage(S), SampledImageArray(T)
)" + residuals;
    auto solver = EnergySolver::load_text(text, "missing.lua", {.backend = GetParam()});
    if (!solver) return fail(solver.error());
    a_ = std::move(a);
    solver->bind("w", 1);
    solver->bind("X", x_, {3}).bind("A", a_).bind("S", s_, {2, 1}).bind("T", s_, {2, 1, 1});
    return solver->solve();
  }
  std::string fault(const std::string& residuals, std::vector<double> a) {
    const auto summary = solve(residuals, std::move(a));
    return summary ? "" : summary.error().message();
  }

  std::vector<double> x_ = std::vector<double>(3), a_, s_ = {1, 3};
};

TEST_P(MissingValues, ReachTheCost) {
  for (const std::string loss :
       {"huber", "soft_l1", "cauchy", "arctan", "geman_mcclure", "tukey"}) {
    EXPECT_THAT(
        fault("local r = Residuals { f = X(n) - A(n) }\nr.f:loss(" + loss + "(10))", {1, NaN, 3}),
        HasSubstr("f at (n) = (1) is nan, since A(1) is nan"))
        << loss;
  }
  for (const std::string term :
       {"Max(0, X(n) - A(n))", "Max(X(n) - A(n), 0)", "Min(0, A(n) - X(n))", "Min(w, X(n) - A(n))",
        "Max(X(n) - A(n), w)", "Max(X(n) + 1, A(n), X(n))"})
    EXPECT_THAT(fault("Residuals { f = X(n) - 3, h = " + term + " }", {1, NaN, 3}),
                HasSubstr("h at (n) = (1) is nan"))
        << term;
  for (const std::string sample : {"image(A(n), 0)", "image(0, A(n))", "stack(A(n), 0, 0, 0)",
                                   "stack(0, A(n), 0, 0)", "stack(0, 0, A(n), 0)"})
    EXPECT_THAT(fault("Residuals { f = X(n) - " + sample + " }", {0, NaN, 0}),
                AllOf(HasSubstr("f at (n) = (1) is nan"), HasSubstr("A(1) is nan")))
        << sample;
  // Infinitely far away is outside.
  const auto summary = solve("Residuals { f = X(n) - image(A(n), 0) }", {0.5, Infinity, -Infinity});
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_THAT(x_, ElementsAre(DoubleNear(2, 1e-6), 0, 0));
}

TEST_P(MissingValues, AreLegalBehindAFalseConditionAndNamedElsewhere) {
  auto summary = solve(
      "Residuals { f = Select(eq(A(n), A(n)), X(n) - image(A(n), 0) - Max(0, A(n)), X(n) - 7) }",
      {0, NaN, 1});
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_THAT(x_, ElementsAre(DoubleNear(1, 1e-6), DoubleNear(7, 1e-6), DoubleNear(4, 1e-6)));
  // The cost of an infinite residual is finite by arctan.
  summary = solve("local r = Residuals { f = X(n) - A(n) }\nr.f:loss(arctan(1))", {1, Infinity, 3});
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->termination, Termination::LinearSolveFailed);
  EXPECT_EQ(summary->cause, "f at (n) = (1) is -inf, since A(1) is inf");
}

INSTANTIATE_TEST_SUITE_P(Backends, MissingValues, testing::Values("interpreter", "cpu"));

}  // namespace
}  // namespace thallo
