#include "core/linear/symbolic_factor.h"

#include <gmock/gmock.h>
#include <Eigen/Core>

#include <algorithm>
#include <numeric>

#include "tests/linear/grid.h"

namespace thallo {
namespace {

using test::Grid;

constexpr double NoLimit = 1e18;

// Which entries of the factor are not zero, by elimination.
Eigen::MatrixXi eliminated(const Grid& grid, const std::vector<std::int32_t>& order) {
  Eigen::MatrixXi a = Eigen::MatrixXi::Zero(grid.n, grid.n);
  std::vector<std::int32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  for (std::size_t row = 0; row < order.size(); ++row) {
    for (auto k = static_cast<std::size_t>(grid.offsets[row]);
         k < static_cast<std::size_t>(grid.offsets[row + 1]); ++k)
      a(place[row], place[static_cast<std::size_t>(grid.columns[k])]) = 1;
  }
  for (int k = 0; k < grid.n; ++k) {
    for (int i = k + 1; i < grid.n; ++i) {
      if (a(i, k) == 0) continue;
      for (int j = k + 1; j < grid.n; ++j) a(i, j) |= a(k, j);
    }
  }
  return a;
}

TEST(SymbolicFactor, OrdersEveryRowOnceAndElementsTogether) {
  const Grid grid(5, 4, 3);
  const SymbolicFactor factor(grid.pattern());
  std::vector<std::int32_t> sorted = factor.order();
  std::ranges::sort(sorted);
  std::vector<std::int32_t> all(static_cast<std::size_t>(grid.n));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
  for (std::size_t i = 0; i < factor.order().size(); i += 3) {
    EXPECT_EQ(factor.order()[i] % 3, 0);
    EXPECT_EQ(factor.order()[i + 1], factor.order()[i] + 1);
    EXPECT_EQ(factor.order()[i + 2], factor.order()[i] + 2);
  }
}

TEST(SymbolicFactor, CountsWhatEliminationFills) {
  for (const Grid& grid : {Grid(7, 6, 1), Grid(5, 4, 3), Grid(12, 1, 2)}) {
    const SymbolicFactor factor(grid.pattern());
    const Eigen::MatrixXi filled = eliminated(grid, factor.order());
    double entries = 0;
    double flops = 0;
    for (int k = 0; k < grid.n; ++k) {
      const double below = filled.col(k).tail(grid.n - k - 1).sum();
      entries += below + 1;
      flops += below * (below + 1) + 2 * below;
    }
    const auto size = factor.size(NoLimit);
    ASSERT_TRUE(size);
    EXPECT_EQ(size->entries, entries);
    EXPECT_EQ(size->flops, flops);
  }
  const Grid chain(50, 1, 1);
  EXPECT_EQ(SymbolicFactor(chain.pattern()).size(NoLimit)->entries, 50 + 49);
}

TEST(SymbolicFactor, OrderKeepsAGridSparserAndStopsCountingAtTheLimit) {
  Grid grid(40, 40, 1);
  const double by_rows = 40.0 * 40 * 40;  // a band as wide as a row
  EXPECT_LT(SymbolicFactor(grid.pattern()).size(NoLimit)->entries, 0.5 * by_rows);
  grid = Grid(20, 20, 1);
  const SymbolicFactor factor(grid.pattern());
  EXPECT_FALSE(factor.size(500));
  EXPECT_TRUE(factor.size(50000));
}

TEST(SymbolicFactor, OfNothingIsEmpty) {
  const Grid none(0, 0, 1);
  const SymbolicFactor factor(none.pattern());
  EXPECT_TRUE(factor.order().empty());
  EXPECT_EQ(factor.size(NoLimit)->entries, 0);
}

}  // namespace
}  // namespace thallo
