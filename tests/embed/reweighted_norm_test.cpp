#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/embed/energy_solver.h"

namespace thallo {
namespace {

constexpr double Shift = 1e-7;  // of the norms, in the prelude of texts

SolverOptions until_settled(SolverKind kind) {
  SolverOptions options = SolverOptions::until_converged();
  options.solver = kind;
  options.function_tolerance = 1e-12;
  return options;
}

// A step of height 1 between flat parts of 4 and of 6: differences cost lambda |d|^p.
struct Steps {
  std::vector<double> a = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, x = a;
  SolverSummary summary;

  Steps(const std::string& norm, std::vector<double> start, SolverKind kind) : x(start) {
    const std::string text = fmt::format(R"(
local N = Dims("N")
Inputs {{ X = Unknown(double, {{N}}), A = Array(double, {{N}}), lambda = Param(double) }}
local n = N()
local d = Select(InBounds(n + 1), X(n + 1) - X(n), 0)
Residuals {{ fit = X(n) - A(n), jump = sqrt(lambda) * {} }}
)",
                                         norm);
    auto solver = EnergySolver::load_text(text, "steps.lua", {.backend = "cpu"});
    if (!solver) throw InternalError(solver.error().message(), __FILE__, __LINE__);
    solver->bind("X", x, {10}).bind("A", a, {10}).bind("lambda", 0.2);
    const auto solved = solver->solve(until_settled(kind));
    if (!solved) throw InternalError(solved.error().message(), __FILE__, __LINE__);
    summary = *solved;
  }
};

class ReweightedNorm : public testing::TestWithParam<SolverKind> {};
INSTANTIATE_TEST_SUITE_P(Solvers, ReweightedNorm,
                         testing::Values(SolverKind::GaussNewton, SolverKind::LevenbergMarquardt));

// Steps bring to the least 1/2 sum (x - a)^2 + lambda sum |d|: the parts move by lambda / 4 and
// lambda / 6, from the data as well as from zero, and whether the weight is stored or not.
TEST_P(ReweightedNorm, LeadsToOneAnswerFromEveryStart) {
  for (const std::string norm :
       {"L_p(d, 1, {n})", "L_p(d, 1)", "L_1(d, {n})", "L_1(2 * d) / sqrt(2)", "L_p(abs(d), 1)",
        "L_p(Vector(d, 0), 1)", "Constant(2 / sqrt(4 * abs(d) + 1e-7)) * d"}) {
    for (const std::vector<double>& start :
         {std::vector<double>{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, std::vector<double>(10, 0.0),
          std::vector<double>{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}}) {
      const Steps ours(norm, start, GetParam());
      for (std::size_t i = 0; i < 10; ++i)
        EXPECT_NEAR(ours.x[i], i < 4 ? 0.05 : 1 - 0.2 / 6, 2e-5) << norm << " " << i;
      EXPECT_TRUE(ours.summary.reweights_norms) << norm;
      EXPECT_LE(ours.summary.final_minimized_cost, ours.summary.initial_minimized_cost);
    }
  }
}

// The integral of t (t + e)^(p - 2) in closed form.
double minimized(double s, double p) {
  const double t = s + Shift;
  if (p == 1) return s - Shift * std::log(t / Shift);
  if (p == 0) return std::log(t / Shift) - s / t;
  return (std::pow(t, p) - std::pow(Shift, p)) / p -
         Shift * (std::pow(t, p - 1) - std::pow(Shift, p - 1)) / (p - 1);
}

TEST(ReweightedNormTest, CostsWhatItsStepsMinimize) {
  for (const double p : {0.0, 0.5, 0.8, 1.0, 1.5, 4.0}) {
    const std::vector<double> start = {0, 0.5, 0, 0.25, 1, 1, 1, 1, 1, 3};
    const Steps ours(fmt::format("L_p(d, {}, {{n}})", p), start, SolverKind::LevenbergMarquardt);
    double fit = 0, cost = 0, least = 0;
    for (std::size_t i = 0; i < 10; ++i) {
      fit += 0.5 * std::pow(start[i] - ours.a[i], 2);
      if (i == 9) continue;
      const double d = std::abs(start[i + 1] - start[i]);
      cost += 0.1 * std::pow(d + Shift, p - 2) * d * d;
      least += 0.2 * minimized(d, p);
    }
    EXPECT_NEAR(ours.summary.initial_cost, fit + cost, 1e-12) << p;
    EXPECT_NEAR(ours.summary.initial_minimized_cost, fit + least, 1e-12) << p;
  }
}

// Weights of |d|^2 are known, too: here of Charbonnier's and Cauchy's losses.
TEST(ReweightedNormTest, KnowsWeightsOfSquares) {
  const std::vector<double> start = {0, 0.5, 0, 0.25, 1, 1, 1, 1, 1, 3};
  double fit = 0, charbonnier = 0, cauchy = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    fit += 0.5 * std::pow(start[i] - (i < 4 ? 0 : 1), 2);
    const double d = i < 9 ? start[i + 1] - start[i] : 0;
    charbonnier += 0.2 * (std::sqrt(d * d + 1e-4) - 1e-2);
    cauchy += 0.2 * 0.5 * std::log(1 + d * d / 1e-2) * 1e-2;
  }
  for (const auto& [weight, cost] :
       {std::pair("Constant(1 / sqrt(sqrt(d * d + 1e-4)))", charbonnier),
        {"Constant(1 / sqrt(1 + d * d / 1e-2))", cauchy}}) {
    const Steps ours(fmt::format("{} * d", weight), start, SolverKind::LevenbergMarquardt);
    EXPECT_TRUE(ours.summary.reweights_norms);
    EXPECT_NEAR(ours.summary.initial_minimized_cost, fit + cost, 1e-12) << weight;
    const Steps other(fmt::format("{} * d", weight), std::vector<double>(10, 0.5),
                      SolverKind::GaussNewton);
    EXPECT_NEAR(ours.summary.final_minimized_cost, other.summary.final_minimized_cost, 1e-7)
        << weight;
  }
}

// A weight of all entries of a vector is none of some of them, or of their multiples. Steps may
// raise the cost then, so none is halved.
TEST(ReweightedNormTest, WantsAllOfTheNormOfItsOwnResidual) {
  for (const std::string residual :
       {"w * d", "w * Vector(d, 3 * X(n))", "w * Vector(d, d)", "w * Vector(2 * d, X(n))"}) {
    const std::string w = "Constant(1 / sqrt(sqrt(d * d + X(n) * X(n)) + 1e-3))";
    std::string text = residual;
    text.replace(0, 1, w);
    EXPECT_FALSE(Steps(text, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, SolverKind::GaussNewton)
                     .summary.reweights_norms)
        << residual;
  }
  EXPECT_TRUE(Steps("Constant(1 / sqrt(sqrt(d * d + X(n) * X(n)) + 1e-3)) * Vector(d, X(n))",
                    {1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, SolverKind::GaussNewton)
                  .summary.reweights_norms);
  // The weight of one expression beside another is no norm of it: its residual costs what it costs.
  const Steps ours("Constant(sqrt(pow(abs(d) + 1e-7, -1))) * (X(n) - 2)",
                   {1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, SolverKind::LevenbergMarquardt);
  EXPECT_FALSE(ours.summary.reweights_norms);
  EXPECT_EQ(ours.summary.final_cost, ours.summary.final_minimized_cost);
}

}  // namespace
}  // namespace thallo
