// Whole solves of textbook functions, the phases done by Eigen.
#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <cmath>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "core/solve/solver.h"
#include "tests/solve/fake_executable.h"

namespace thallo {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Functions and points as Eigen writes them.
using Function = std::function<void(const VectorXd& x, VectorXd& f, MatrixXd& j)>;

class DenseExecutable : public test::DenseExecutable {
 public:
  DenseExecutable(const Function& function, const VectorXd& start, bool jacobi = true,
                  const VectorXd& free = {})
      : test::DenseExecutable(evaluations_of(function), to_std(start), jacobi, to_std(free)) {}
  VectorXd x() const { return to_eigen(test::DenseExecutable::x()); }
  VectorXd damping() const { return to_eigen(test::DenseExecutable::damping()); }

 private:
  static std::vector<double> to_std(const VectorXd& v) { return {v.begin(), v.end()}; }
  static VectorXd to_eigen(const std::vector<double>& v) {
    return Eigen::Map<const VectorXd>(v.data(), std::ssize(v));
  }
  static Residuals evaluations_of(const Function& function) {
    return [function](const std::vector<double>& x) {
      VectorXd f;
      MatrixXd j;
      function(to_eigen(x), f, j);
      const MatrixXd by_rows = j.transpose();
      return Evaluation{to_std(f), {by_rows.data(), by_rows.data() + by_rows.size()}};
    };
  }
};

SolverOptions options(SolverKind solver, const LinearSolver* linear, int iterations) {
  SolverOptions o;
  for (const auto& [name, value] : PublishedSteps) EXPECT_TRUE(o.set(name, value));
  o.solver = solver;
  o.linear_solver = linear->name();
  o.num_iterations = iterations;
  return o;
}
SolverOptions dense_gn(int iterations) {
  return options(SolverKind::GaussNewton, dense_solver(), iterations);
}
SolverOptions dense_lm(int iterations) {
  return options(SolverKind::LevenbergMarquardt, dense_solver(), iterations);
}

// r = A x - y
Function linear(const MatrixXd& a, const VectorXd& y) {
  return [a, y](const VectorXd& x, VectorXd& f, MatrixXd& j) {
    f = a * x - y;
    j = a;
  };
}

// r = (10 (x1 - x0^2), 1 - x0), minimum 0 at (1, 1)
void rosenbrock(const VectorXd& x, VectorXd& f, MatrixXd& j) {
  f.resize(2);
  f << 10 * (x[1] - x[0] * x[0]), 1 - x[0];
  j.resize(2, 2);
  j << -20 * x[0], 10, -1, 0;
}

// Powell's singular function: the Jacobian at the minimum 0 has rank 2.
void powell(const VectorXd& x, VectorXd& f, MatrixXd& j) {
  const double a = std::sqrt(5.0), b = std::sqrt(10.0);
  const double u = x[1] - 2 * x[2], v = x[0] - x[3];
  f.resize(4);
  f << x[0] + 10 * x[1], a * (x[2] - x[3]), u * u, b * v * v;
  j.resize(4, 4);
  j << 1, 10, 0, 0,         //
      0, 0, a, -a,          //
      0, 2 * u, -4 * u, 0,  //
      2 * b * v, 0, 0, -2 * b * v;
}

VectorXd vector(std::initializer_list<double> values) {
  VectorXd v(static_cast<Eigen::Index>(values.size()));
  Eigen::Index i = 0;
  for (const double value : values) v[i++] = value;
  return v;
}

const MatrixXd A = (MatrixXd(5, 3) << 1, 2, 0, -1, 1, 3, 4, 0, 1, 2, 2, 2, 0, 1, -1).finished();
const VectorXd Y = vector({1, 2, 3, 4, 5});

TEST(LinearLeastSquares, DenseGaussNewtonNeedsOneStepAndPcgAsManyIterationsAsUnknowns) {
  DenseExecutable e(linear(A, Y), vector({7, -5, 3}));
  const auto summary = solve(e, dense_gn(1)).value();
  const VectorXd expected = (A.transpose() * A).ldlt().solve(A.transpose() * Y);
  EXPECT_LT((e.x() - expected).norm(), 1e-12);
  EXPECT_NEAR(summary.final_cost, 0.5 * (A * expected - Y).squaredNorm(), 1e-12);
  for (const bool jacobi : {false, true}) {
    DenseExecutable e(linear(A, Y), VectorXd::Zero(3), jacobi);
    SolverOptions o = options(SolverKind::GaussNewton, pcg_solver(), 1);
    o.num_linear_iterations = 3;
    ASSERT_TRUE(solve(e, o));
    EXPECT_LT((e.x() - expected).norm(), 1e-10) << jacobi;
  }
}

TEST(LinearLeastSquares, ModelDecreaseIsTheDecreaseOfTheCost) {
  // The model of a linear problem is exact, so rho = 1 whatever the damping.
  for (const double radius : {1e-2, 1.0, 1e6}) {
    for (const auto linear_solver : {pcg_solver(), dense_solver()}) {
      DenseExecutable e(linear(A, Y), VectorXd::Zero(3));
      SolverOptions o = options(SolverKind::LevenbergMarquardt, linear_solver, 1);
      o.trust_region_radius = radius;
      o.num_linear_iterations = 2;
      const auto summary = solve(e, o).value();
      EXPECT_NEAR(summary.iterations.back().relative_decrease, 1, 1e-10) << radius;
    }
  }
}

TEST(Damping, IsTheClampedDiagonalOverTheRadius) {
  // d = (4, 0, 1e8), s = (1 + sqrt d)^2 = (9, 1, (1 + 1e4)^2)
  const MatrixXd a = vector({2, 0, 1e4}).asDiagonal();
  DenseExecutable e(linear(a, vector({1, 1, 1})), VectorXd::Zero(3));
  SolverOptions o = dense_lm(1);
  o.trust_region_radius = 100;
  o.min_lm_diagonal = 0.5;
  o.max_lm_diagonal = 0.75;
  ASSERT_TRUE(solve(e, o));
  EXPECT_DOUBLE_EQ(e.damping()[0], 0.5 * 9 / 100);                 // 4 < 4.5
  EXPECT_DOUBLE_EQ(e.damping()[1], 0.5 / 100);                     // 0 < 0.5
  EXPECT_DOUBLE_EQ(e.damping()[2], 0.75 * 10001 * 10001.0 / 100);  // 1e8 > 0.75 s
  // Worked value of the reference: radius 1e4, min 1e-6: 1e-10 (1 + sqrt d0)^2
  DenseExecutable of_zero(linear(MatrixXd::Zero(2, 1), vector({1, 1})), VectorXd::Zero(1));
  ASSERT_TRUE(solve(of_zero, dense_lm(1)));
  EXPECT_DOUBLE_EQ(of_zero.damping()[0], 1e-10);
}

TEST(Rosenbrock, GaussNewtonIsThereAfterTwoSteps) {
  // From (-1.2, 1): the first step makes x0 = 1, the second x1 = x0^2.
  DenseExecutable e(rosenbrock, vector({-1.2, 1}));
  const auto summary = solve(e, dense_gn(2)).value();
  EXPECT_DOUBLE_EQ(summary.initial_cost, 0.5 * (4.4 * 4.4 + 2.2 * 2.2));
  EXPECT_LT((e.x() - vector({1, 1})).norm(), 1e-12);
}

TEST(Rosenbrock, LevenbergMarquardtConvergesAndItsCostNeverRises) {
  for (const auto linear_solver : {pcg_solver(), dense_solver()}) {
    DenseExecutable e(rosenbrock, vector({-1.2, 1}));
    SolverOptions o = options(SolverKind::LevenbergMarquardt, linear_solver, 100);
    o.function_tolerance = 0;
    o.gradient_tolerance = 1e-12;
    const auto summary = solve(e, o).value();
    EXPECT_EQ(summary.termination, Termination::ZeroCost);
    EXPECT_LT((e.x() - vector({1, 1})).norm(), 1e-10);
    EXPECT_GT(summary.num_rejected, 0);
    EXPECT_LT(summary.num_iterations, 50);
  }
  DenseExecutable e(rosenbrock, vector({-1.2, 1}));
  const auto summary = solve(e, dense_lm(100)).value();
  for (std::size_t i = 1; i < summary.iterations.size(); ++i) {
    EXPECT_LE(summary.iterations[i].cost, summary.iterations[i - 1].cost);
  }
}

TEST(Powell, ConvergesThoughTheJacobianIsSingularAtTheMinimum) {
  DenseExecutable e(powell, vector({3, -1, 0, 1}));
  SolverOptions o = dense_lm(100);
  o.function_tolerance = 0;
  o.gradient_tolerance = 1e-15;
  const auto summary = solve(e, o).value();
  EXPECT_DOUBLE_EQ(summary.initial_cost, 0.5 * 215);
  EXPECT_EQ(summary.termination, Termination::ZeroCost);
  EXPECT_LT(e.x().norm(), 1e-4);
}

TEST(Arctangent, RadiiOfTheRejectedStepsAreThoseOfThePencil) {
  // r = atan x from x = 3: b = -atan(3)/10, d = 1/100, D = d / radius; the full step overshoots.
  const auto residual = [](const VectorXd& x, VectorXd& f, MatrixXd& j) {
    f = VectorXd::Constant(1, std::atan(x[0]));
    j = MatrixXd::Constant(1, 1, 1 / (1 + x[0] * x[0]));
  };
  DenseExecutable e(residual, vector({3}));
  SolverOptions o = dense_lm(30);
  o.function_tolerance = 0;
  o.gradient_tolerance = 1e-14;
  const auto summary = solve(e, o).value();

  double x = 3, radius = 1e4, factor = 2;
  std::size_t row = 1;
  for (; row < summary.iterations.size() && summary.iterations[row].total_seconds >= 0; ++row) {
    const double f = std::atan(x), d = 1 / std::pow(1 + x * x, 2);
    const double low = 1e-6 * std::pow(1.1, 2);  // s = (1 + 1/10)^2 of the start
    const double damping = std::max(d, low) / radius;
    const double b = -f * std::sqrt(d), step = b / (d + damping);
    const double model = b * step - 0.5 * d * step * step;
    const double trial = 0.5 * std::pow(std::atan(x + step), 2);
    const double rho = (0.5 * f * f - trial) / model;
    const IterationRecord& record = summary.iterations[row];
    if (record.cost < 1e-20) break;  // rounding
    ASSERT_NEAR(record.radius, radius, 1e-9 * radius) << row;
    ASSERT_NEAR(record.relative_decrease, rho, 1e-9) << row;
    ASSERT_EQ(record.accepted, rho > 1e-3) << row;
    if (record.accepted) {
      x += step;
      radius /= std::max(1.0 / 3, 1 - std::pow(2 * rho - 1, 3));
      factor = 2;
    } else {
      radius /= factor;
      factor *= 2;
    }
  }
  EXPECT_GT(row, 6u);
  EXPECT_GT(summary.num_rejected, 3);
  EXPECT_NEAR(e.x()[0], 0, 1e-12);
}

TEST(QTolerance, EndsTheLinearSolveEarly) {
  // Many unknowns of equal weight and a few strong ones: most of the model decrease comes early.
  const Eigen::Index n = 60;
  VectorXd weights(n);
  for (Eigen::Index i = 0; i < n; ++i) weights[i] = std::pow(0.8, static_cast<double>(i));
  MatrixXd a = weights.asDiagonal();
  for (Eigen::Index i = 0; i + 1 < n; ++i) a(i, i + 1) = 0.9 * weights[i];
  std::vector<int> iterations;
  for (const double tolerance : {1e-1, 1e-3, 0.0}) {
    DenseExecutable e(linear(a, VectorXd::Ones(n)), VectorXd::Zero(n));
    SolverOptions o = options(SolverKind::LevenbergMarquardt, pcg_solver(), 1);
    o.num_linear_iterations = 40;
    o.q_tolerance = tolerance;
    const auto summary = solve(e, o).value();
    iterations.push_back(static_cast<int>(summary.num_linear_iterations));
  }
  EXPECT_LT(iterations[0], iterations[1]);
  EXPECT_LT(iterations[1], iterations[2]);
  EXPECT_EQ(iterations[2], 40);
}

}  // namespace
}  // namespace thallo
