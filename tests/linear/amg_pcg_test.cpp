// amg_pcg: aggregates are parts of a graph, the cycle is symmetric and positive definite, and
// iterations hardly grow with the size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "core/linear/aggregates.h"
#include "core/linear/direct_solve.h"
#include "core/linear/smoothed_aggregation.h"
#include "tests/linear/grid.h"

namespace thallo {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Grid;

// The constants of the channels, of elements that are points.
RowModes constant_modes(int n, int channels) {
  RowModes modes;
  modes.num_modes = channels;
  modes.values.assign(static_cast<std::size_t>(n * channels), 0);
  for (int row = 0; row < n; ++row) {
    modes.element_of.push_back(row / channels);
    modes.values[static_cast<std::size_t>(row * channels + row % channels)] = 1;
  }
  modes.kind_of.assign(static_cast<std::size_t>(n / channels), 0);
  return modes;
}

// A Laplacian that only its first point holds in place, so that constants are nearly sent to 0.
Grid floating_grid(int w, int h, int channels) {
  Grid grid(w, h, channels);
  for (int row = 0; row < grid.n; ++row) {
    double others = row < channels ? 1 : 0;
    double* diagonal = nullptr;
    for (auto k = static_cast<std::size_t>(grid.offsets[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(grid.offsets[static_cast<std::size_t>(row) + 1]); ++k) {
      const int column = grid.columns[k];
      if (column == row)
        diagonal = &grid.values[k];
      else if (column % channels != row % channels)
        grid.values[k] = 0;
      else
        others -= grid.values[k];
    }
    *diagonal = others;
  }
  return grid;
}

std::vector<double> free_rows(const Grid& grid) {
  return std::vector<double>(static_cast<std::size_t>(grid.n), 1.0);
}

ElementGraph graph_of(const Grid& grid, const RowModes& modes) {
  return element_graph(grid.offsets, grid.columns, modes.element_of, modes.kind_of);
}

TEST(Aggregates, AreConnectedPartsOfTheGraph) {
  const Grid grid(13, 9, 2);
  const RowModes modes = constant_modes(grid.n, 2);
  const ElementGraph graph = graph_of(grid, modes);
  const Aggregates found = aggregate(graph);
  ASSERT_EQ(found.of.size(), 13u * 9u);
  EXPECT_LT(found.count, 13 * 9 / 3);
  // An aggregate that is connected has all of its elements reached from its first one.
  std::vector<bool> is_reached(found.of.size());
  std::set<std::int32_t> begun;
  for (std::size_t e = 0; e < found.of.size(); ++e) {
    ASSERT_TRUE(0 <= found.of[e] && found.of[e] < found.count);
    if (is_reached[e]) continue;
    EXPECT_TRUE(begun.insert(found.of[e]).second) << "two parts of aggregate " << found.of[e];
    std::vector<std::size_t> open = {e};
    is_reached[e] = true;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (auto k = graph.offsets[at]; k < graph.offsets[at + 1]; ++k) {
        const auto other = static_cast<std::size_t>(graph.neighbors[static_cast<std::size_t>(k)]);
        if (is_reached[other] || found.of[other] != found.of[e]) continue;
        is_reached[other] = true;
        open.push_back(other);
      }
    }
  }
  EXPECT_EQ(std::ssize(begun), found.count);
}

TEST(Aggregates, HaveElementsOfOneKind) {
  const Grid grid(8, 8, 1);
  RowModes modes = constant_modes(grid.n, 1);
  for (std::size_t e = 0; e < modes.kind_of.size(); ++e) modes.kind_of[e] = e % 3 == 0;
  const Aggregates found = aggregate(graph_of(grid, modes));
  std::vector<std::set<std::int32_t>> kinds(static_cast<std::size_t>(found.count));
  for (std::size_t e = 0; e < modes.kind_of.size(); ++e)
    kinds[static_cast<std::size_t>(found.of[e])].insert(modes.kind_of[e]);
  EXPECT_THAT(kinds, testing::Each(testing::SizeIs(1)));
}

TEST(SmoothedAggregation, IsSymmetricAndPositiveDefinite) {
  const Grid grid = floating_grid(20, 18, 2);
  const MatrixPattern pattern = grid.pattern();
  SmoothedAggregation levels(pattern);
  ASSERT_TRUE(levels.build(grid.values, constant_modes(grid.n, 2)));
  EXPECT_GE(levels.num_levels(), 2u);
  MatrixXd inverse(grid.n, grid.n);
  const std::size_t n = free_rows(grid).size();
  for (Index i = 0; i < grid.n; ++i) {
    const VectorXd unit = VectorXd::Unit(grid.n, i);
    levels.cycle({unit.data(), n}, {inverse.col(i).data(), n});
  }
  EXPECT_LT((inverse - inverse.transpose()).norm(), 1e-12 * inverse.norm());
  EXPECT_EQ(inverse.llt().info(), Eigen::Success);
}

TEST(SmoothedAggregation, SaysThatAMatrixIsIndefinite) {
  Grid grid = floating_grid(30, 30, 1);
  for (int row = 0; row < grid.n; ++row) {
    for (auto k = static_cast<std::size_t>(grid.offsets[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(grid.offsets[static_cast<std::size_t>(row) + 1]); ++k)
      if (grid.columns[k] == row) grid.values[k] -= 0.5;
  }
  const MatrixPattern pattern = grid.pattern();
  EXPECT_FALSE(SmoothedAggregation(pattern).build(grid.values, constant_modes(grid.n, 1)));
}

// The iterations of a solve, whose result is checked.
std::int64_t iterations(const Grid& grid, const RowModes& modes) {
  DirectSolve solve(*amg_pcg_solver(), grid.pattern());
  std::mt19937 random(1);
  VectorXd expected(grid.n);
  for (double& value : expected) value = std::normal_distribution<>()(random);
  const Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor>> matrix(
      grid.n, grid.n, std::ssize(grid.values), grid.offsets.data(), grid.columns.data(),
      grid.values.data());
  const VectorXd b = matrix * expected;
  const std::vector<double> free = free_rows(grid);
  const std::vector<double> x = solve.solve({.matrix = grid.values,
                                             .damping = {},
                                             .free = free,
                                             .b = {b.data(), free.size()},
                                             .modes = modes});
  EXPECT_FALSE(solve.has_failed());
  const VectorXd error = Eigen::Map<const VectorXd>(x.data(), grid.n) - expected;
  EXPECT_LT(error.dot(matrix * error), 1e-10 * expected.dot(b));
  return solve.num_iterations();
}

TEST(AmgPcg, NeedsHardlyMoreIterationsForLargerGrids) {
  const auto of = [](int size) {
    const Grid grid = floating_grid(size, size, 1);
    return iterations(grid, constant_modes(grid.n, 1));
  };
  EXPECT_LE(of(24), 20);
  EXPECT_LE(of(200), 30);
}

TEST(AmgPcg, SolvesWithoutModesAndWhereNothingIsAggregated) {
  const Grid grid = floating_grid(20, 20, 1);
  RowModes modes = constant_modes(grid.n, 1);
  std::ranges::fill(modes.values, 0);
  EXPECT_LE(iterations(grid, modes), 100);
  modes = constant_modes(grid.n, 1);
  std::iota(modes.kind_of.begin(), modes.kind_of.end(), 0);  // every element is of its own kind
  EXPECT_LE(iterations(grid, modes), 100);
}

TEST(AmgPcg, TakesTheModesThatTheMatrixSendsNearerToZero) {
  const Grid grid = floating_grid(60, 60, 1);
  RowModes right = constant_modes(grid.n, 1), wrong = right;
  for (std::size_t row = 0; row < wrong.values.size(); ++row) wrong.values[row] = row % 2 == 0;
  const std::int64_t fewest = iterations(grid, right);
  EXPECT_GT(iterations(grid, wrong), 2 * fewest);
  right.alternative = wrong.values;
  wrong.alternative = right.values;
  EXPECT_EQ(iterations(grid, right), fewest);
  EXPECT_EQ(iterations(grid, wrong), fewest);
}

TEST(AmgPcg, SolvesASingularSystemThatHasSolutions) {
  Grid grid = floating_grid(30, 30, 1);
  grid.values[0] -= 1;  // nothing holds it in place
  const RowModes modes = constant_modes(grid.n, 1);
  EXPECT_LE(iterations(grid, modes), 30);
}

}  // namespace
}  // namespace thallo
