// multifrontal_cholesky, beside what tests/linear/direct_solve_test.cpp expects of all solvers that
// take a matrix.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "core/base/stop_scope.h"
#include "core/linear/linear_solver.h"
#include "tests/linear/grid.h"
#include "tests/support/built_plugins.h"

namespace thallo {
namespace {

using test::Grid;

// A damped case of so many unknowns with a factor of that size.
class FactorCase final : public LinearCase {
 public:
  FactorCase(std::int64_t num_unknowns, const FactorSize& size)
      : num_unknowns_(num_unknowns), size_(size) {}
  std::int64_t num_unknowns() const override { return num_unknowns_; }
  bool is_damped() const override { return true; }
  bool are_all_poses() const override { return false; }
  bool can_eliminate() const override { return false; }
  std::size_t most_read() const override { return 1; }
  bool varies_weights() const override { return false; }
  int max_linear_iterations() const override { return 1; }
  double diagonal_iterations() const override { return 1; }
  IteratedSteps iterated() const override { return {}; }
  Expected<EliminatedUnknowns> elimination(const LinearSolver&) const override {
    return fail("nothing is eliminated");
  }
  Expected<void> check_matrix() const override { return {}; }
  Expected<FactorSize> factor() const override { return size_; }
  Expected<FactorSize> kept_factor(const LinearSolver&) const override { return size_; }

 private:
  std::int64_t num_unknowns_;
  FactorSize size_;
};

// Null if it is not in this build.
const LinearSolver* find_multifrontal() {
  return test::loaded_plugin_items().linear_solvers.find("multifrontal_cholesky");
}

class MultifrontalCholesky : public testing::Test {
 protected:
  void SetUp() override {
    if (solver_ == nullptr) GTEST_SKIP() << "this build has no multifrontal_cholesky";
  }

  static std::vector<double> solution(const LinearSolver& solver, const Grid& grid) {
    const auto factorization = solver.analyze(grid.pattern());
    std::vector<double> x(static_cast<std::size_t>(grid.n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 + static_cast<double>(i % 7);
    EXPECT_TRUE(factorization->factorize(grid.values));
    factorization->solve(x);
    return x;
  }

  const LinearSolver* solver_ = find_multifrontal();
};

TEST_F(MultifrontalCholesky, FindsTheSolutionsOfSparseCholeskyInEightThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      const Grid grid(20 + i, 18, 3);
      const std::vector<double> expected = solution(*sparse_cholesky_solver(), grid);
      const double largest = *std::ranges::max_element(expected);
      for (int repeat = 0; repeat < 5; ++repeat) {
        EXPECT_THAT(solution(*solver_, grid),
                    testing::Pointwise(testing::DoubleNear(1e-12 * largest), expected));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(MultifrontalCholesky, SaysThatAPivotIsZeroAndEndsBetweenItsPhases) {
  Grid grid(1, 1, 2);
  const auto factorization = solver_->analyze(grid.pattern());
  grid.values = {1, 1, 1, 1};
  EXPECT_FALSE(factorization->factorize(grid.values));
  grid.values = {1, 0.5, 0.5, 1};
  EXPECT_TRUE(factorization->factorize(grid.values));
  grid = Grid(12, 12, 2);
  const auto large = solver_->analyze(grid.pattern());
  ASSERT_TRUE(large->factorize(grid.values));
  const StopScope scope({}, StopScope::Clock::now() - std::chrono::seconds(1));
  std::vector<double> x(static_cast<std::size_t>(grid.n), 1.0);
  EXPECT_THROW(solver_->analyze(grid.pattern()), Stopped);
  EXPECT_THROW(large->factorize(grid.values), Stopped);
  EXPECT_THROW(large->solve(x), Stopped);
}

// Of a factorization and a solve on one core, as docs/measurements.md records them.
TEST(FactorSeconds, AreExpectedAsTheyWereMeasured) {
  struct Measured {
    const char* matrix;
    std::int64_t num_unknowns;
    double entries, flops, sparse, multifrontal;
  };
  const LinearSolver* multifrontal = find_multifrontal();
  for (const auto& [matrix, num_unknowns, entries, flops, sparse_seconds, multifrontal_seconds] : {
           Measured{"kitti_00", 13623, 1.31e5, 1.41e6, 1.14e-3, 8.96e-3},
           Measured{"ais2klinik", 45345, 4.56e5, 5.39e6, 4.33e-3, 34e-3},
           Measured{"M3500", 10500, 1.92e5, 7.06e6, 2.8e-3, 8.77e-3},
           Measured{"parking-garage", 9966, 4.17e5, 2.21e7, 7.32e-3, 10e-3},
           Measured{"grid 128 x 128", 16384, 4.02e5, 3.13e7, 9.33e-3, 22.2e-3},
           Measured{"smallGrid3D", 750, 4.80e4, 4.45e6, 1.14e-3, 0.82e-3},
           Measured{"mesh 28 x 28 x 6", 4704, 4.15e5, 5.19e7, 13.1e-3, 6.4e-3},
           Measured{"sphere2500", 15000, 1.87e6, 5.65e8, 144e-3, 25.9e-3},
           Measured{"torus3D", 30000, 3.16e6, 1.29e9, 398e-3, 70.5e-3},
           Measured{"mesh 85 x 85 x 6", 43350, 6.97e6, 2.34e9, 655e-3, 147e-3},
           Measured{"grid 256 x 256 x 3", 196608, 1.76e7, 7.06e9, 3090e-3, 464e-3},
       }) {
    const FactorCase the_case(num_unknowns, {.entries = entries, .flops = flops});
    const auto sparse = sparse_cholesky_solver()->outlook(the_case);
    ASSERT_TRUE(sparse);
    EXPECT_NEAR(sparse->host_seconds / sparse_seconds, 1, 0.25) << matrix;
    if (multifrontal == nullptr) continue;
    const auto fronts = multifrontal->outlook(the_case);
    ASSERT_TRUE(fronts) << fronts.error().message();
    EXPECT_NEAR(fronts->host_seconds / multifrontal_seconds, 1, 0.37) << matrix;
    EXPECT_EQ(fronts->host_seconds < sparse->host_seconds, multifrontal_seconds < sparse_seconds)
        << matrix;
  }
}

}  // namespace
}  // namespace thallo
