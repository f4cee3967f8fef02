#include "core/linear/direct_solve.h"

#include <gmock/gmock.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <limits>

#include "core/base/stop_scope.h"
#include "tests/linear/grid.h"
#include "tests/support/built_plugins.h"

namespace thallo {
namespace {

using test::Grid;
using testing::Each;

// The same system for solvers of both forms.
struct System {
  System(int w, int h, int channels) : grid(w, h, channels) {
    const auto n = static_cast<std::size_t>(grid.n);
    full.assign(n * n, 0.0);
    for (std::size_t row = 0; row < n; ++row) {
      for (auto k = static_cast<std::size_t>(grid.offsets[row]);
           k < static_cast<std::size_t>(grid.offsets[row + 1]); ++k) {
        // Rows of different scale, as unknowns of different units have.
        const auto col = static_cast<std::size_t>(grid.columns[k]);
        grid.values[k] *= scale(row) * scale(col);
        full[row * n + col] = grid.values[k];
      }
      damping.push_back(0.01 * scale(row) * scale(row));
      b.push_back(scale(row) * (1 + static_cast<double>(row % 7)));
      free.push_back(1);
    }
  }
  static double scale(std::size_t row) { return row % 3 == 0 ? 1e-3 : 1e2; }

  // By elimination of the free rows alone, in Eigen.
  std::vector<double> expected() const {
    Eigen::MatrixXd a = Eigen::Map<const Eigen::MatrixXd>(full.data(), grid.n, grid.n);
    a.diagonal() += Eigen::Map<const Eigen::VectorXd>(damping.data(), grid.n);
    Eigen::VectorXd rhs = Eigen::Map<const Eigen::VectorXd>(b.data(), grid.n);
    for (int i = 0; i < grid.n; ++i) {
      if (free[static_cast<std::size_t>(i)] != 0) continue;
      a.row(i).setZero();
      a.col(i).setZero();
      a(i, i) = 1;
      rhs[i] = 0;
    }
    const Eigen::VectorXd x = a.ldlt().solve(rhs);
    return {x.begin(), x.end()};
  }
  MatrixPattern pattern(const LinearSolver& solver) const {
    return solver.form() == MatrixForm::Csr ? grid.pattern() : MatrixPattern{.n = grid.n};
  }
  std::vector<double> solve(DirectSolve& direct, const LinearSolver& solver) const {
    return direct.solve({solver.form() == MatrixForm::Csr ? grid.values : full, damping, free, b});
  }
  std::vector<double> solve(const LinearSolver& solver) const {
    DirectSolve direct(solver, pattern(solver));
    return solve(direct, solver);
  }

  Grid grid;
  std::vector<double> full, damping, b, free;
};

class DirectSolves : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (found_ == nullptr) GTEST_SKIP() << "this build has no " << GetParam();
  }

  const LinearSolver* found_ = test::loaded_plugin_items().linear_solvers.find(GetParam());
  const LinearSolver& solver_ = found_ != nullptr ? *found_ : *dense_solver();
};

TEST_P(DirectSolves, FindTheSolutionAndLeaveExcludedRowsAtZero) {
  System system(6, 5, 2);
  std::vector<double> x = system.solve(solver_), expected = system.expected();
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(x[i], expected[i], 1e-10 * std::abs(expected[i])) << i;
  for (const std::size_t i : {0, 7, 8, 59}) system.free[i] = 0;
  x = system.solve(solver_), expected = system.expected();
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(x[i], expected[i], 1e-10 * std::abs(expected[i])) << i;
  for (const std::size_t i : {0, 7, 8, 59}) EXPECT_EQ(x[i], 0);
}

TEST_P(DirectSolves, FactorAsOftenAsTheyAreAskedUnlessTheyAreToStop) {
  System system(4, 4, 1);
  DirectSolve direct(solver_, system.pattern(solver_));
  for (int i = 0; i < 3; ++i) {
    const std::vector<double> x = system.solve(direct, solver_);
    EXPECT_NEAR(x[5], system.expected()[5], 1e-10 * std::abs(x[5])) << i;
    for (double& d : system.damping) d *= 10;
  }
  {
    const StopScope scope({}, StopScope::Clock::now() - std::chrono::seconds(1));
    EXPECT_THROW(system.solve(direct, solver_), Stopped);
  }
  EXPECT_EQ(system.solve(direct, solver_), system.solve(solver_));
}

TEST_P(DirectSolves, AreZeroWhereTheMatrixOrANumberIsNone) {
  System system(4, 4, 1);
  system.damping.assign(16, -20 * 1e4);
  EXPECT_THAT(system.solve(solver_), Each(0));
  // The diagonal is positive, a pivot is not.
  System coupled(2, 1, 1);
  coupled.damping = {0, 0};
  coupled.grid.values = {1, 2, 2, 1};
  coupled.full = coupled.grid.values;
  EXPECT_THAT(coupled.solve(solver_), Each(0));
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    System system(4, 4, 1);
    system.grid.values[1] = wrong;
    system.full[1] = wrong;
    EXPECT_THAT(system.solve(solver_), Each(0)) << wrong;
  }
}

TEST_P(DirectSolves, FactorAfterAMatrixThatIsNotPositiveDefinite) {
  System system(6, 5, 2);
  const std::vector<double> good = system.damping;
  DirectSolve direct(solver_, system.pattern(solver_));
  for (double& d : system.damping) d *= -600;  // the diagonal stays positive
  EXPECT_THAT(system.solve(direct, solver_), Each(0));
  system.damping = good;
  const auto x = system.solve(direct, solver_);
  EXPECT_NEAR(x[5], system.expected()[5], 1e-10 * std::abs(x[5]));
}

TEST_P(DirectSolves, DoNotLookAtWhatIsInExcludedRows) {
  System system(4, 4, 1);
  system.free[0] = 0;
  const std::vector<double> expected = system.expected();
  for (const std::size_t i : {0, 1, 4}) {  // with both neighbours
    system.full[i] = system.full[16 * i] = std::numeric_limits<double>::quiet_NaN();
    for (auto k = static_cast<std::size_t>(system.grid.offsets[i]);
         k < static_cast<std::size_t>(system.grid.offsets[i + 1]); ++k) {
      if (i == 0 || system.grid.columns[k] == 0)
        system.grid.values[k] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  const std::vector<double> x = system.solve(solver_);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(x[i], expected[i], 1e-10 * std::abs(expected[i])) << i;
}

TEST_P(DirectSolves, TakeRowsWithoutEntriesAsTheIdentityAndNothingAsNothing) {
  const bool is_csr = solver_.form() == MatrixForm::Csr;
  // Row 1 is empty; row 2 has no entry on the diagonal of its own, only damping.
  const std::vector<std::int32_t> offsets{0, 1, 1, 1}, columns{0};
  const std::vector<double> values =
      is_csr ? std::vector<double>{4} : std::vector<double>{4, 0, 0, 0, 0, 0, 0, 0, 0};
  DirectSolve direct(solver_, is_csr ? MatrixPattern{3, offsets, columns} : MatrixPattern{.n = 3});
  const std::vector<double> damping{0, 0, 2}, free{1, 1, 1}, b{8, 5, 6};
  EXPECT_THAT(direct.solve({values, damping, free, b}),
              testing::Pointwise(testing::DoubleEq(), std::vector<double>{2, 0, 3}));
  const std::vector<std::int32_t> none{0};
  DirectSolve nothing(solver_, is_csr ? MatrixPattern{0, none, {}} : MatrixPattern{.n = 0});
  EXPECT_TRUE(nothing.solve({}).empty());
}

INSTANTIATE_TEST_SUITE_P(Solvers, DirectSolves,
                         testing::Values("dense", "sparse_cholesky", "multifrontal_cholesky"),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace thallo
