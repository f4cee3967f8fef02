// Starts of pose graphs that the measurements alone make.
#include "problems/pose_graph/initialize.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/energy/manifold.h"
#include "problems/pose_graph/walk.h"

namespace thallo::pose_graph {
namespace {

using testing::DoubleNear, testing::Pointwise;

Walk small_walk(int dimension, double noise) {
  return make_walk({.dimension = dimension,
                    .rounds = 5,
                    .poses_a_round = 12,
                    .position_noise = noise,
                    .angle_noise = noise});
}

// All poses but the first `num_kept` are where nothing was measured.
void forget_poses(PoseGraph& graph, std::size_t num_kept) {
  const std::size_t size = graph.pose_size();
  for (std::size_t i = num_kept; i < graph.num_vertices(); ++i) {
    std::fill_n(graph.poses.begin() + static_cast<std::ptrdiff_t>(size * i), size, 0.0);
    graph.poses[size * i] = 100;
    if (graph.dimension == 3) graph.poses[size * i + 6] = 1;
  }
}

// Of every position, and by the angle of every rotation; q and -q are one.
double largest_difference(const PoseGraph& graph, const std::vector<double>& truth) {
  const std::size_t size = graph.pose_size();
  double largest = 0;
  for (std::size_t i = 0; i < graph.num_vertices(); ++i) {
    const auto a = std::span(graph.poses).subspan(size * i, size);
    const auto b = std::span(truth).subspan(size * i, size);
    const std::size_t num_shifts = graph.dimension == 2 ? 2 : 3;
    for (std::size_t c = 0; c < num_shifts; ++c) largest = std::max(largest, std::abs(a[c] - b[c]));
    double between = 0;
    if (graph.dimension == 2) {
      between = std::abs(std::remainder(a[2] - b[2], 2 * std::acos(-1.0)));
    } else {
      double dot = 0;
      for (std::size_t c = 3; c < 7; ++c) dot += a[c] * b[c];
      between = 2 * std::acos(std::min(1.0, std::abs(dot)));
    }
    largest = std::max(largest, between);
  }
  return largest;
}

class Initialize : public testing::TestWithParam<int> {};

TEST_P(Initialize, FindsWhatExactMeasurementsSay) {
  const Walk walk = small_walk(GetParam(), 1e-12);
  PoseGraph graph = walk.graph;
  forget_poses(graph, 1);
  ASSERT_GT(largest_difference(graph, walk.true_poses), 10);
  initialize_along_tree(graph);
  EXPECT_LT(largest_difference(graph, walk.true_poses), 1e-6) << "along a tree";
  forget_poses(graph, 1);
  ASSERT_TRUE(initialize_by_chords(graph));
  EXPECT_LT(largest_difference(graph, walk.true_poses), 1e-6) << "by chords";
  const Manifold manifold = GetParam() == 2 ? Manifold::SE2 : Manifold::SE3;
  const std::size_t size = graph.pose_size();
  for (std::size_t i = 0; i < graph.num_vertices(); ++i)
    EXPECT_TRUE(is_point(manifold, std::span(graph.poses).subspan(size * i, size))) << i;
}

// A tree adds up the errors along its paths, chords share them out.
TEST_P(Initialize, ByChordsIsNearerToTheTruthThanAlongATree) {
  const Walk walk = small_walk(GetParam(), 0.03);
  PoseGraph graph = walk.graph;
  initialize_along_tree(graph);
  const double along_tree = largest_difference(graph, walk.true_poses);
  forget_poses(graph, 1);
  ASSERT_TRUE(initialize_by_chords(graph));
  EXPECT_LT(largest_difference(graph, walk.true_poses), along_tree);
  EXPECT_LT(largest_difference(graph, walk.true_poses), 0.5);
}

TEST_P(Initialize, LeavesFixedPosesAndTheFirstOfEachOtherPart) {
  Walk walk = small_walk(GetParam(), 1e-12);
  PoseGraph& graph = walk.graph;
  // Two poses that nothing connects with the walk.
  const std::size_t size = graph.pose_size(), tangent = graph.tangent_size();
  const auto count = static_cast<std::int32_t>(graph.num_vertices());
  for (const std::int32_t i : {0, 1}) {
    graph.ids.push_back(count + i);
    for (std::size_t c = 0; c < size; ++c)
      graph.poses.push_back(c + 1 == size && size == 7 ? 1 : 0);
    graph.poses[graph.poses.size() - size] = 50;
  }
  graph.edges.push_back({count + 1, count});
  for (std::size_t c = 0; c < size; ++c)
    graph.measurements.push_back(c == 0 || c == 6 ? 1 : 0);  // one ahead
  for (std::size_t k = 0; k < tangent * tangent; ++k)
    graph.information.push_back(k % (tangent + 1) == 0 ? 1 : 0);
  graph.fixed = {7, 20};
  std::vector<double> expected = walk.true_poses;
  expected.insert(expected.end(), graph.poses.end() - static_cast<std::ptrdiff_t>(2 * size),
                  graph.poses.end());
  expected[expected.size() - size] = 49;  // one behind the first of its part
  const std::vector<double> before = graph.poses;
  const auto expect_placed = [&] {
    EXPECT_LT(largest_difference(graph, expected), 1e-6);
    for (const std::size_t stays : {std::size_t{7}, std::size_t{20}, std::size_t(count)})
      EXPECT_TRUE(std::equal(&before[stays * size], &before[stays * size] + size,
                             &graph.poses[stays * size]))
          << stays;
  };
  initialize_along_tree(graph);
  expect_placed();
  graph.poses = before;
  ASSERT_TRUE(initialize_by_chords(graph));
  expect_placed();
}

TEST_P(Initialize, GoesAlongMeasurementsWithoutInformation) {
  const Walk walk = small_walk(GetParam(), 1e-12);
  PoseGraph graph = walk.graph;
  const std::size_t n = graph.tangent_size();
  // One that nothing goes around, and then all.
  graph.edges.resize(graph.num_vertices() - 1);
  std::fill_n(graph.information.begin() + static_cast<std::ptrdiff_t>(5 * n * n), n * n, 0.0);
  forget_poses(graph, 1);
  ASSERT_TRUE(initialize_by_chords(graph));
  EXPECT_LT(largest_difference(graph, walk.true_poses), 1e-5);
  std::ranges::fill(graph.information, 0.0);
  forget_poses(graph, 1);
  ASSERT_TRUE(initialize_by_chords(graph));
  EXPECT_LT(largest_difference(graph, walk.true_poses), 1e-5);
}

TEST_P(Initialize, LeavesPosesWhereNumbersAreTooLargeOrAFactorizationTakesTooLong) {
  PoseGraph graph = small_walk(GetParam(), 0.1).graph;
  const std::vector<double> before = graph.poses;
  EXPECT_FALSE(initialize_by_chords(graph, 10));
  EXPECT_THAT(graph.poses, Pointwise(DoubleNear(0), before));
  graph = small_walk(GetParam(), 0.1).graph;
  for (double& entry : graph.information) entry *= std::numeric_limits<double>::max() / 1e3;
  EXPECT_FALSE(initialize_by_chords(graph));
  EXPECT_THAT(graph.poses, Pointwise(DoubleNear(0), before));
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Initialize, testing::Values(2, 3));

}  // namespace
}  // namespace thallo::pose_graph
