// The dense solve on a device against Eigen: one thread block up to 64 unknowns, one for each tile
// above, and cuSOLVER above 2048.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>

#include "core/kernel/lower.h"
#include "tests/cuda/small_program.h"

namespace thallo {
namespace {

using test::make_bound;
using test::slot;

struct DenseCase {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd damping, b;
  std::vector<double> free;
};

// A Gram matrix with badly scaled rows; row 1 is excluded, row 3 is empty.
DenseCase make_case(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd j(2 * n, n);
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < 2 * n; ++r) j(r, c) = normal(random) * std::pow(10.0, c % 5 - 2);
  }
  if (n > 3) j.col(3).setZero();
  DenseCase result{j.transpose() * j, Eigen::VectorXd::Constant(n, 1e-3), Eigen::VectorXd(n),
                   std::vector<double>(static_cast<std::size_t>(n), 1.0)};
  for (int i = 0; i < n; ++i) result.b[i] = normal(random);
  if (n > 1) result.free[1] = 0;
  return result;
}

// The same system without the excluded and empty rows.
Eigen::VectorXd reference(const DenseCase& c, bool damped) {
  const auto n = c.b.size();
  Eigen::MatrixXd a = c.matrix;
  if (damped) a.diagonal() += c.damping;
  Eigen::VectorXd b = c.b;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (c.free[static_cast<std::size_t>(i)] != 0 && c.matrix(i, i) != 0) continue;
    a.row(i).setZero();
    a.col(i).setZero();
    a(i, i) = 1;
    b[i] = 0;
  }
  return a.ldlt().solve(b);
}

Energy dense_energy() {
  EnergyBuilder e("dense");
  const DimId n = e.dim("N");
  const auto u = e.unknown("u", {n});
  const auto i = e.domain(n);
  e.residual("fit", {u(i) - 1.0});
  return *std::move(e).build();
}

class CudaDense : public testing::Test {
 protected:
  // Solves the case on the device.
  static std::vector<double> solve(Executable& executable, const DenseCase& c, bool damped) {
    const KernelProgram& program = executable.program();
    const auto write = [&](SolverVector vector, const auto& values) {
      executable.write_buffer(program.vector(vector),
                              std::vector<double>(values.begin(), values.end()));
    };
    executable.write_buffer(
        program.dense_jtj.value(),
        std::vector<double>(c.matrix.data(), c.matrix.data() + c.matrix.size()));
    if (damped) write(SolverVector::Damping, c.damping);
    write(SolverVector::InverseDiagonal, c.free);
    write(SolverVector::B, c.b);
    executable.run(Phase::DirectSolve);
    return executable.read_buffer(program.vector(SolverVector::X));
  }

  static std::unique_ptr<Executable> make(Backend& backend, int n, bool damped) {
    const Energy energy = dense_energy();
    Binding binding(energy);
    EXPECT_TRUE(binding.set_extent("N", n) &&
                binding.set_field("u", std::vector<double>(static_cast<std::size_t>(n))));
    return make_bound(
        backend,
        make_program(energy, default_plan(energy),
                     {.solver = damped ? SolverKind::LevenbergMarquardt : SolverKind::GaussNewton,
                      .preconditioner = jacobi_preconditioner(),
                      .linear_solver = dense_solver()}),
        binding, Precision::Double);
  }
};

class CudaDenseSizes : public CudaDense, public testing::WithParamInterface<int> {};

TEST_P(CudaDenseSizes, SolvesAsEigenDoes) {
  THALLO_REQUIRE_CUDA(cuda);
  const int n = GetParam();
  for (const bool damped : {false, true}) {
    auto executable = make(cuda, n, damped);
    ASSERT_NE(executable, nullptr);
    const DenseCase c = make_case(n, 17);
    const std::vector<double> x = solve(*executable, c, damped);
    const Eigen::VectorXd expected = reference(c, damped);
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(x[static_cast<std::size_t>(i)], expected[i],
                  1e-10 * expected.cwiseAbs().maxCoeff())
          << "x[" << i << "] of " << n << (damped ? ", damped" : "");
    }
  }
}

TEST_P(CudaDenseSizes, AnIndefiniteMatrixGivesNoStep) {
  THALLO_REQUIRE_CUDA(cuda);
  const int n = GetParam();
  auto executable = make(cuda, n, true);
  ASSERT_NE(executable, nullptr);
  DenseCase c = make_case(n, 18);
  c.matrix(0, 0) = -1000;  // whatever the damping
  for (const double x : solve(*executable, c, true)) EXPECT_EQ(x, 0);
  c.matrix(0, 0) = std::numeric_limits<double>::quiet_NaN();
  for (const double x : solve(*executable, c, true)) EXPECT_EQ(x, 0);
  // And the next system is solved as if nothing had been.
  c = make_case(n, 19);
  const std::vector<double> x = solve(*executable, c, true);
  EXPECT_NEAR(x[0], reference(c, true)[0], 1e-10 * reference(c, true).cwiseAbs().maxCoeff());
}

// Above 2048 unknowns. The reference is the x that the right-hand side is made of.
TEST_F(CudaDense, LargeSystemsAreSolvedByALibrary) {
  THALLO_REQUIRE_CUDA(cuda);
  const int n = 2100;
  auto executable = make(cuda, n, true);
  ASSERT_NE(executable, nullptr);
  DenseCase c{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Constant(n, 1e-3), Eigen::VectorXd(n),
              std::vector<double>(static_cast<std::size_t>(n), 1.0)};
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(n, -1, 1);
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, 2, 3);
  c.matrix.diagonal().setLinSpaced(n, 1, 1000);
  c.matrix += v * v.transpose();
  c.b = c.matrix * x + c.damping.cwiseProduct(x);
  c.free[1] = 0;
  c.b -= c.matrix.col(1) * x[1];
  const std::vector<double> found = solve(*executable, c, true);
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR(found[static_cast<std::size_t>(i)], i == 1 ? 0 : x[i], 1e-9) << i;
  c.matrix(7, 7) = -1000;
  for (const double none : solve(*executable, c, true)) EXPECT_EQ(none, 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, CudaDenseSizes,
                         testing::Values(1, 2, 7, 63, 64, 65, 95, 96, 97, 200, 441, 512));

}  // namespace
}  // namespace thallo
