// Unknowns that are kept in a box, X:bounds(lo, hi): whole solves, against the conditions that hold
// at a minimum in a box, and against Ceres, which ends a little above it.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/random.h"
#include "core/embed/energy_solver.h"
#include "core/energy/print.h"
#include "core/language/energy_text.h"
#include "core/solve/ending.h"
#include "tests/support/ceres_oracle.h"

namespace thallo {
namespace {

using testing::Contains, testing::DoubleNear, testing::ElementsAre, testing::HasSubstr,
    testing::Not;
using Values = std::vector<double>;

EnergySolver boxed_solver(const std::string& text, EnergySolverOptions options) {
  auto solver = EnergySolver::load_text(text, "bounds.lua", std::move(options));
  if (!solver) throw InternalError(solver.error().message(), __FILE__, __LINE__);
  return *std::move(solver);
}
EnergySolver boxed_solver(const std::string& text, Precision precision = Precision::Double,
                          const char* backend = "interpreter") {
  return boxed_solver(text, {.backend = backend, .precision = precision, .schedule = "default"});
}

SolverOptions box_options(const std::string& linear_solver, bool is_damped = true) {
  SolverOptions options = SolverOptions::until_converged();
  options.function_tolerance = 1e-12;
  options.linear_solver = linear_solver;
  if (!is_damped) options.solver = SolverKind::GaussNewton;
  return options;
}

SolverSummary solved_in_box(EnergySolver& solver, const SolverOptions& options) {
  auto summary = solver.solve(options);
  if (!summary) throw InternalError(summary.error().message(), __FILE__, __LINE__);
  return *std::move(summary);
}

// The largest cosine of a column of J and the residuals, of those that no bound stops.
double projected_cosine(const EnergySolver& solver) {
  const Binding binding = *solver.binding();
  EnergyEvaluator evaluator(solver.energy(), binding);
  const EnergyEvaluator::Box box = evaluator.bounds();
  const Linearization at_x = evaluator.linearize();
  const Values gradient = at_x.jtf(), squares = at_x.diagonal();
  double largest = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double x = evaluator.unknowns()[i], float_rounding = 1e-7;
    if ((x <= box.lower[i] + float_rounding && gradient[i] >= 0) ||
        (x >= box.upper[i] - float_rounding && gradient[i] <= 0))
      continue;
    if (squares[i] > 0) largest = std::max(largest, std::abs(gradient[i]) / std::sqrt(squares[i]));
  }
  return at_x.cost() > 0 ? largest / std::sqrt(2 * at_x.cost()) : largest;
}

const std::string Gamma = R"(
  local N, U = Dims("N", "U")
  Inputs { m = Unknown(double, {U}), c = Unknown(double, {U}),
           x = Array(double, {N}), y = Array(double, {N}) }
  local n = N()
  Residuals { fit = y(n) - x(n)^m(0) * exp(x(n) / c(0)) }
  m:bounds(0.001)
  c:bounds(0.01))";

// Where m falls below 0, a residual at x = 0 is infinite.
TEST(Bounds, KeepAFitWhereItIsDefined) {
  for (const Precision precision : {Precision::Double, Precision::Mixed, Precision::Float}) {
    for (const char* linear_solver : {"dense", "pcg"}) {
      if (precision == Precision::Mixed && linear_solver == std::string("dense")) continue;
      EnergySolver solver =
          boxed_solver(Gamma, precision, precision == Precision::Double ? "interpreter" : "cpu");
      Values x, y, m = {1}, c = {1};
      for (int i = 0; i <= 10; ++i) {
        x.push_back(0.5 * i);
        y.push_back(std::sqrt(x.back()) * std::exp(x.back() / 2));
      }
      solver.bind("x", x).bind("y", y).bind("m", m).bind("c", c);
      const SolverSummary summary = solved_in_box(solver, box_options(linear_solver));
      const double tolerance = precision == Precision::Float ? 1e-3 : 1e-6;
      EXPECT_NEAR(m[0], 0.5, tolerance) << summary.full();
      EXPECT_NEAR(c[0], 2, tolerance);
    }
  }
}

// A smooth picture, with a bound that changes from pixel to pixel.
const std::string Picture = R"(
  local W, H = Dims("W", "H")
  Inputs { X = Unknown(double, {W, H}), A = Array(double, {W, H}), Top = Array(double, {W, H}),
           s = Param(double) }
  local x, y = W(), H()
  Residuals { fit = X(x, y) - A(x, y),
              smooth = {Select(InBounds(x + 1, y), s * (X(x + 1, y) - X(x, y)), 0),
                        Select(InBounds(x, y + 1), s * (X(x, y + 1) - X(x, y)), 0)} }
  X:bounds(0.25, Top(x, y)))";

struct PictureData {
  explicit PictureData(std::size_t width) : x(width * width, 0.5), a(width * width), top(a) {
    Random random(7);
    for (double& value : a) value = random.uniform(-0.5, 1.5);
    for (double& value : top) value = random.uniform(0.25, 0.9);
  }
  void bind(EnergySolver& solver, std::int64_t width, double weight) {
    solver.bind("X", x, {width, width}).bind("A", a, {width, width});
    solver.bind("Top", top, {width, width}).bind("s", weight);
  }
  Values x, a, top;
};

TEST(Bounds, ArePartOfEachLinearSolver) {
  THALLO_REQUIRE_CERES();
  std::optional<double> best;
  for (const char* linear_solver : {"pcg", "dense", "sparse_cholesky"}) {
    for (const bool is_damped : {true, false}) {
      EnergySolver solver = boxed_solver(Picture);
      PictureData data(8);
      data.bind(solver, 8, 1.5);
      if (!best) best = test::minimize_with_ceres(solver.energy(), *solver.binding()).final_cost;
      SolverOptions options = box_options(linear_solver, is_damped);
      options.num_iterations = 100;
      const SolverSummary summary = solved_in_box(solver, options);
      EXPECT_LT(summary.final_cost, *best * (1 + 1e-8)) << summary.full();
      EXPECT_LT(projected_cosine(solver), 1e-4) << linear_solver << is_damped;
      for (std::size_t i = 0; i < data.x.size(); ++i) {
        EXPECT_GE(data.x[i], 0.25);
        EXPECT_LE(data.x[i], data.top[i]);
      }
      EXPECT_THAT(data.x, Contains(0.25));
    }
  }
}

TEST(Bounds, HoldManyPixels) {
  for (const auto& [precision, is_damped] :
       {std::pair(Precision::Mixed, true), std::pair(Precision::Mixed, false),
        std::pair(Precision::Float, true), std::pair(Precision::Float, false)}) {
    for (const char* preconditioner : {"jacobi", "none", "block_jacobi"}) {
      EnergySolver solver = boxed_solver(Picture, precision, "cpu");
      // Once with 102,400 unknowns.
      const bool is_large = precision == Precision::Mixed && is_damped && preconditioner[0] == 'j';
      const std::int64_t width = is_large ? 320 : 64;
      PictureData data(static_cast<std::size_t>(width));
      data.bind(solver, width, 3);
      SolverOptions options = box_options("pcg", is_damped);
      options.preconditioner = preconditioner;
      options.function_tolerance = 1e-9;
      options.num_iterations = 60;
      const SolverSummary summary = solved_in_box(solver, options);
      EXPECT_LT(projected_cosine(solver), 2e-4) << summary.full();
      EXPECT_LT(summary.num_iterations, 40) << summary.full();
      EXPECT_EQ(ending_of(summary), Ending::Converged);
    }
  }
}

// Cameras that look at points on a line, both in boxes.
const std::string Scene = R"(
  local C, P, O = Dims("C", "P", "O")
  Inputs { Camera = Unknown(double2, {C}), Point = Unknown(double3, {P}), Seen = Array(double2, {O}),
           Of = Sparse({O}, {C}), At = Sparse({O}, {P}) }
  local o, c, p = O(), C(), P()
  local camera, point = Camera(Of(o)), Point(At(o))
  local s = Vector(point(0), point(1)) * camera(1) / (2 + point(2) * point(2)) + camera(0)
  Residuals { seen = s - Seen(o), prior = 0.05 * Point(p), near = 0.05 * Camera(c) }
  Camera:bounds({-0.3, 0.4}, {0.3, inf})
  Point:bounds(-0.5, {0.5, 0.6, 0.2}))";

TEST(Bounds, ArePartOfEliminations) {
  THALLO_REQUIRE_CERES();
  const std::int64_t cameras = 4, points = 10, seen = 40;
  Random random(3);
  Values data, start_cameras, start_points;
  std::vector<std::int32_t> of, at;
  for (std::int64_t o = 0; o < seen; ++o) {
    of.push_back(static_cast<std::int32_t>(o % cameras));
    at.push_back(static_cast<std::int32_t>(o / cameras));
    for (int k = 0; k < 2; ++k) data.push_back(random.uniform(-1, 1));
  }
  for (std::int64_t i = 0; i < 2 * cameras; ++i) start_cameras.push_back(i % 2 == 0 ? 0 : 0.8);
  for (std::int64_t i = 0; i < 3 * points; ++i) start_points.push_back(random.uniform(-0.4, 0.1));
  std::optional<double> best;
  for (const std::string linear_solver : {"pcg", "dense", "sparse_cholesky", "schur_pcg",
                                          "schur_cholesky", "schur_sparse_cholesky"}) {
    for (const char* eliminated : {"Point", "Camera"}) {
      for (const bool is_damped : {true, false}) {
        if (!linear_solver.starts_with("schur") && eliminated == std::string("Camera")) continue;
        Values camera = start_cameras, point = start_points;
        EnergySolver solver = boxed_solver(Scene);
        solver.bind("Camera", camera).bind("Point", point).bind("Seen", data);
        solver.bind("Of", of).bind("At", at);
        if (!best)
          best = test::minimize_with_ceres(solver.energy(), *solver.binding(),
                                           {.function_tolerance = 1e-14})
                     .final_cost;
        SolverOptions options = box_options(linear_solver, is_damped);
        options.num_iterations = 200;
        if (linear_solver.starts_with("schur")) options.eliminate = eliminated;
        const SolverSummary summary = solved_in_box(solver, options);
        EXPECT_LT(summary.final_cost, *best * (1 + 1e-6)) << summary.full();
        EXPECT_LT(projected_cosine(solver), 1e-4) << linear_solver << eliminated << is_damped;
        EXPECT_LT(summary.num_iterations, 120) << linear_solver << is_damped;
      }
    }
  }
}

// Linear least squares with full matrices, some nearly singular: the minimum in a box is one.
TEST(Bounds, LeadToTheMinimumOfRandomProblems) {
  THALLO_REQUIRE_CERES();
  const std::string text = R"(
    local M, N, U = Dims("M", "N", "U")
    Inputs { X = Unknown(double, {N}), A = Array(double, {M, N}), b = Array(double, {M}),
             Low = Array(double, {N}), High = Array(double, {N}) }
    local m, n, i = M(), N(), N()
    Residuals { fit = Sum({n}, A(m, n) * X(n)) - b(m) }
    X:bounds(Low(i), High(i)))";
  const int num_rows = 20, num_columns = 12;
  int most = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    Values x(num_columns), low(x), high(x), a(num_rows * num_columns), b(num_rows);
    for (double& value : a) value = random.normal();
    // Columns that are nearly those before them.
    for (int n = 1; n < num_columns; n += 2)
      for (int m = 0; m < num_rows; ++m)
        a[static_cast<std::size_t>(n * num_rows + m)] =
            a[static_cast<std::size_t>((n - 1) * num_rows + m)] + 0.05 * random.normal();
    for (double& value : b) value = 3 * random.normal();
    for (std::size_t n = 0; n < x.size(); ++n) {
      low[n] = random.uniform(-1, 0.5);
      high[n] = n % 5 == 0 ? low[n] : low[n] + random.uniform(0, 2);
      x[n] = random.uniform(low[n], high[n]);
    }
    for (const bool is_damped : {true, false}) {
      Values solution = x;
      EnergySolver solver = boxed_solver(text);
      solver.bind("X", solution).bind("A", a, {num_rows, num_columns}).bind("b", b);
      solver.bind("Low", low).bind("High", high).bind("U", 1);
      const test::CeresResult ceres =
          test::minimize_with_ceres(solver.energy(), *solver.binding(),
                                    {.max_iterations = 5000, .function_tolerance = 1e-14});
      SolverOptions options = box_options("dense", is_damped);
      const SolverSummary summary = solved_in_box(solver, options);
      EXPECT_LT(summary.final_cost, ceres.final_cost * (1 + 1e-6)) << seed << is_damped << "\n"
                                                                   << summary.full();
      most = std::max(most, summary.num_iterations);
    }
  }
  EXPECT_LT(most, 60);
}

const std::string Boxes = R"(
  local U = Dims("U")
  Inputs { P = Unknown(double3, {U}), T = Array(double3, {U}), Fixed = Array(int, {U}) }
  local u = U()
  P:bounds({-inf, 0, 2}, {1, inf, 2})
  P:Exclude(eq(Fixed(u), 1))
  Residuals { r = P(u) - T(u), near = 0.01 * (P(u) - P(u + 1)) })";

TEST(Bounds, AreOfChannelsAndMayMeet) {
  for (const char* linear_solver : {"pcg", "dense", "sparse_cholesky"}) {
    EnergySolver solver = boxed_solver(Boxes);
    // The third channel starts outside, the first element's second at a bound that it leaves, and
    // the last element outside of bounds, where it is excluded.
    Values p = {0, 0, 5, 1, 3, 2, 9, -9, 9};
    const Values t = {4, 4, 4, -4, -4, -4, 0, 0, 0};
    const std::vector<std::int32_t> fixed = {0, 0, 1};
    solver.bind("P", p).bind("T", t).bind("Fixed", fixed);
    const SolverSummary summary = solved_in_box(solver, box_options(linear_solver));
    EXPECT_THAT(p, ElementsAre(1, DoubleNear(4, 1e-2), 2, DoubleNear(-4, 1e-2), 0, 2, 9, -9, 9))
        << linear_solver;
    EXPECT_EQ(summary.start_move, 3);
    EXPECT_THAT(warnings_of(summary), Contains(HasSubstr("outside of the bounds")));
    EXPECT_EQ(ending_of(summary), Ending::Converged);
    // From the minimum there is nothing to do, and nothing to say.
    const SolverSummary again = solved_in_box(solver, box_options(linear_solver));
    EXPECT_EQ(again.start_move, 0);
    EXPECT_LE(again.num_accepted, 2);
    EXPECT_EQ(ending_of(again), Ending::Converged);
  }
}

TEST(Bounds, AreOfEachMemberOfABatch) {
  const std::string text = R"(
    local K, B = Dims("K"), Batch("B")
    Inputs { c = Unknown(double2, {B}), t = Array(double, {K}), Y = Array(double, {K, B}),
             Most = Array(double, {B}) }
    local k, b = K(), B()
    c:bounds({0, -inf}, {Most(b), 0})
    Residuals { fit = c(b)(0) * exp(c(b)(1) * t(k)) - Y(k, b) })";
  for (const char* linear_solver : {"dense", "pcg"}) {
    EnergySolver solver = boxed_solver(text);
    Values t, y, c = {1, -1, 1, -1, 1, -1}, most = {10, 1.5, 10};
    for (int k = 0; k < 8; ++k) t.push_back(0.2 * k);
    for (const auto& [scale, rate] :
         {std::pair(2.0, -1.5), std::pair(2.0, -1.5), std::pair(2.0, 0.5)})
      for (const double time : t) y.push_back(scale * std::exp(rate * time));
    solver.bind("c", c).bind("t", t).bind("Y", y).bind("Most", most);
    const SolverSummary summary = solved_in_box(solver, box_options(linear_solver));
    EXPECT_NEAR(c[0], 2, 1e-5);
    EXPECT_NEAR(c[1], -1.5, 1e-5);
    EXPECT_EQ(c[2], 1.5) << summary.full();
    EXPECT_EQ(c[5], 0);
    EXPECT_LT(projected_cosine(solver), 1e-4);
  }
}

TEST(Bounds, ArePrintedAndWritten) {
  const EnergySolver solver = boxed_solver(Picture);
  EXPECT_THAT(to_string(solver.energy()), HasSubstr("unknown X(W, H), in [0.25, Top(w, h)]"));
  const auto text = energy_text(solver.energy());
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_THAT(*text, HasSubstr("X:bounds({0.25}, {Top("));
  EXPECT_EQ(boxed_solver(*text).energy().bounds().size(), 1u);
}

std::string refused_box(const std::string& statement,
                        const std::string& preconditioner = "jacobi") {
  auto solver = EnergySolver::load_text(
      "local N = Dims('N') Inputs { P = Unknown(double3, {N}), Q = Unknown(SE3, {N}), "
      "A = Array(double, {N}), X = Unknown(double, {N}) }\nlocal n, m = N(), N()\n" +
          statement + "\nResiduals { p = P(n), q = Q(n), r = X(n) - A(n) }",
      "bounds.lua", {.backend = "interpreter"});
  if (!solver) return solver.error().message();
  Values p(6), q = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}, a = {1, std::nan("")}, x(2);
  solver->bind("P", p).bind("Q", q).bind("A", a).bind("X", x);
  SolverOptions options = SolverOptions::until_converged();
  options.preconditioner = preconditioner;
  if (preconditioner == "multigrid") options.linear_solver = "pcg";
  const auto summary = solver->solve(options);
  return summary ? "" : summary.error().message();
}

TEST(Bounds, RefusesWhatIsNoBox) {
  EXPECT_THAT(refused_box("X:bounds(1, 0)"),
              HasSubstr("bounds.lua:3: the bounds of 'X': there is no number from 1 to 0"));
  EXPECT_THAT(refused_box("X:bounds(inf)"), HasSubstr("no number from inf to inf"));
  EXPECT_THAT(refused_box("X:bounds(0/0)"), HasSubstr("nan"));
  EXPECT_THAT(refused_box("X:bounds()"), HasSubstr("a lower bound, an upper one or both"));
  EXPECT_THAT(refused_box("P:bounds({0, 1})"), HasSubstr("2 numbers for 3 channels"));
  EXPECT_THAT(refused_box("Q:bounds(0, 1)"),
              HasSubstr("a step moves the channels of an SE3 together, so none has bounds"));
  EXPECT_THAT(refused_box("A:bounds(0, 1)"), HasSubstr("only unknowns have bounds"));
  EXPECT_THAT(refused_box("X:bounds(0) X:bounds(nil, 1)"), HasSubstr("give both sides at once"));
  EXPECT_THAT(refused_box("X:bounds(X(n))"), HasSubstr("they read an unknown"));
  EXPECT_THAT(refused_box("X:bounds(A(n) + A(m))"), HasSubstr("none of its own"));
  EXPECT_THAT(refused_box("X:bounds(0, A(n))"),
              HasSubstr("a lower bound is above the upper one, or NaN"));
}

TEST(Bounds, HaveNoMultigrid) {
  EnergySolver solver = boxed_solver(Picture);
  PictureData data(8);
  data.bind(solver, 8, 1);
  SolverOptions options = box_options("pcg");
  options.preconditioner = "multigrid";
  const auto summary = solver.solve(options);
  ASSERT_FALSE(summary);
  EXPECT_THAT(summary.error().message(), HasSubstr("'X' has bounds"));
}

}  // namespace
}  // namespace thallo
