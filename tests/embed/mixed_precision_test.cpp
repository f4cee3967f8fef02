// Solves in mixed precision, which is the default: they end where solves in double do.
#include <gmock/gmock.h>

#include <cmath>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/stop_scope.h"
#include "core/embed/energy_solver.h"
#include "core/solve/ending.h"

namespace thallo {
namespace {

using ::testing::HasSubstr;

// Center and radius of a circle from points on it, which are off by some millimeters.
constexpr std::string_view Circle = R"(
local N, U = Dims("N", "U")
Inputs { circle = Unknown(double3, {U}), p = Array(double2, {N}) }
local n, c = N(), circle(0)
local d = p(n) - c:slice(0, 2)
Residuals { r = sqrt(dot(d, d)) - c(2) })";

struct Fitted {
  SolverSummary summary;
  std::vector<double> circle;
};

Fitted fit_circle(double east, double north, std::optional<Precision> precision) {
  std::vector<double> circle = {east + 1, north - 2, 9}, points;
  for (int i = 0; i < 40; ++i) {
    const double angle = 0.15 * i, radius = 8 + 0.004 * std::sin(17.0 * i);
    points.insert(points.end(),
                  {east + radius * std::cos(angle), north + radius * std::sin(angle)});
  }
  auto solver =
      EnergySolver::load_text(Circle, "circle.lua", {.backend = "cpu", .precision = precision});
  if (!solver) throw InternalError(solver.error().message(), __FILE__, __LINE__);
  solver->bind("circle", circle).bind("p", points);
  SolverOptions options = SolverOptions::until_converged();
  options.linear_solver = "pcg";
  auto summary = solver->solve(options);
  if (!summary) throw InternalError(summary.error().message(), __FILE__, __LINE__);
  return {*std::move(summary), circle};
}

TEST(MixedPrecision, EndsWhereDoubleDoes) {
  const Fitted mixed = fit_circle(30, 40, {}), exact = fit_circle(30, 40, Precision::Double);
  EXPECT_EQ(mixed.summary.precision, Precision::Mixed);
  EXPECT_EQ(mixed.summary.why_precision, "");
  EXPECT_NEAR(mixed.summary.final_cost, exact.summary.final_cost, 1e-9 * exact.summary.final_cost);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(mixed.circle[c], exact.circle[c], 1e-7);
}

// Without a preconditioner, products of the loop are of the sixth power of the unit.
TEST(MixedPrecision, TakesTheSameStepsInAllUnits) {
  for (const char* preconditioner : {"none", "jacobi"}) {
    std::optional<SolverSummary> first;
    for (const double unit : {1.0, 1e-12, 1e-6, 1e6, 1e12}) {
      std::vector<double> x(60, 0), data;
      for (int i = 0; i < 60; ++i) data.push_back(std::sin(0.9 * i * i));
      auto solver = EnergySolver::load_text(R"(
local N = Dim("N")
Inputs { X = Unknown(float, {N}), A = Array(float, {N}), q = Param(float) }
local n = N()
Residuals { fit = q * (X(n) - A(n)),
            smooth = 3 * q * Select(InBounds(n + 1), X(n + 1) - X(n), 0) })",
                                            "smooth.lua", {.backend = "cpu"});
      ASSERT_TRUE(solver) << solver.error().message();
      solver->bind("X", x).bind("A", data).bind("q", unit);
      SolverOptions options = SolverOptions::until_converged();
      options.linear_solver = "pcg";
      options.preconditioner = preconditioner;
      auto summary = solver->solve(options);
      ASSERT_TRUE(summary) << summary.error().message();
      EXPECT_EQ(ending_of(*summary), Ending::Converged) << summary->brief();
      if (!first) first = *summary;
      EXPECT_EQ(summary->num_iterations, first->num_iterations) << summary->brief();
      EXPECT_NEAR(summary->final_cost / unit / unit, first->final_cost, 1e-6 * first->final_cost);
    }
  }
}

// Eliminated unknowns are solved for when the loop has ended, from b and from what it found.
TEST(MixedPrecision, EliminatesInAllUnits) {
  for (const SolverKind kind : {SolverKind::LevenbergMarquardt, SolverKind::GaussNewton}) {
    for (const double unit : {1.0, 1e-6, 1e6}) {
      std::vector<double> camera = {0, 0, 0}, point(20, 0), seen;
      std::vector<int> of_camera, of_point;
      for (int i = 0; i < 60; ++i) {
        of_camera.push_back(i % 3);
        of_point.push_back(i / 3);
        seen.push_back(std::sin(0.7 * i) + i % 3);
      }
      auto solver = EnergySolver::load_text(R"(
local C, P, N = Dims("C", "P", "N")
Inputs { camera = Unknown(float, {C}), point = Unknown(float, {P}), seen = Array(float, {N}),
         c = Sparse({N}, {C}), p = Sparse({N}, {P}), q = Param(float) }
local n, i = N(), C()
Residuals { fit = q * (camera(c(n)) + point(p(n)) - seen(n)), hold = q * camera(i) })",
                                            "seen.lua", {.backend = "cpu"});
      ASSERT_TRUE(solver) << solver.error().message();
      solver->bind("camera", camera).bind("point", point).bind("seen", seen);
      solver->bind("c", of_camera).bind("p", of_point).bind("q", unit);
      SolverOptions options = SolverOptions::until_converged();
      options.solver = kind;
      options.linear_solver = "schur_pcg";
      const auto summary = solver->solve(options);
      ASSERT_TRUE(summary) << summary.error().message();
      EXPECT_EQ(summary->precision, Precision::Mixed);
      EXPECT_LE(summary->num_iterations, 6) << summary->brief();
      // The gradient by each point is zero.
      for (std::size_t k = 0; k < point.size(); ++k) {
        double gradient = 0;
        for (int i = 0; i < 3; ++i)
          gradient += camera[i] + point[k] - seen[3 * k + static_cast<std::size_t>(i)];
        EXPECT_NEAR(gradient, 0, 1e-5) << summary->brief();
      }
    }
  }
}

// A floating-point number of 24 bits is half a meter off there.
TEST(MixedPrecision, IsDoubleWhereTheLoopNeedsItAndSaidInTheSummary) {
  const Fitted near = fit_circle(30, 40, {}), far = fit_circle(3.5e6, 5.4e6, {});
  EXPECT_EQ(far.summary.precision, Precision::Double);
  EXPECT_THAT(far.summary.why_precision, HasSubstr("in float, rounding may change J by"));
  EXPECT_NEAR(far.summary.final_cost, near.summary.final_cost, 1e-5 * near.summary.final_cost);
  EXPECT_NEAR(far.circle[0] - 3.5e6, near.circle[0] - 30, 1e-6);
  EXPECT_NEAR(far.circle[1] - 5.4e6, near.circle[1] - 40, 1e-6);
  EXPECT_NEAR(far.circle[2], near.circle[2], 1e-6);
  EXPECT_THAT(fit_circle(30, 40, {}).summary.brief(), HasSubstr("lm, mixed,"));
  EXPECT_THAT(fit_circle(30, 40, Precision::Float).summary.full(), HasSubstr("float"));
}

// Of a residual that adds up very many points.
TEST(MixedPrecision, IsDecidedBySomePointsOfALongSum) {
  constexpr std::size_t NumPoints = 200'000;
  std::vector<double> x(NumPoints, 1), t(NumPoints, 0.5);
  auto solver = EnergySolver::load_text(R"(
local N, U = Dims("N", "U")
Inputs { X = Unknown(double, {N}), t = Array(double, {N}), a = Array(double, {U}) }
local n, u = N(), U()
Residuals { total = Sum({n}, sin(a(u) * t(n)) * X(n)) - 3, near = X(n) - t(n) })",
                                        "sum.lua", {.backend = "cpu", .schedule = "default"});
  ASSERT_TRUE(solver) << solver.error().message();
  std::vector<double> a = {1, 2, 3};
  solver->bind("X", x).bind("t", t).bind("a", a);
  SolverOptions options = SolverOptions::until_converged();
  options.linear_solver = "pcg";
  options.num_iterations = 1;
  const StepLimit limit(500'000);
  const auto summary = solver->solve(options);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->precision, Precision::Mixed);
}

}  // namespace
}  // namespace thallo
