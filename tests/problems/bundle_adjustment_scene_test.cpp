#include "problems/bundle_adjustment/scene.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "core/base/camera_model.h"
#include "problems/bundle_adjustment/reconstruction.h"

namespace thallo::bundle_adjustment {
namespace {

using namespace bundler;

using ::testing::HasSubstr;

Scene make_scene(const SceneOptions& options) {
  auto scene = generate_scene(options);
  if (!scene) throw std::runtime_error(scene.error().message());
  return *std::move(scene);
}

BalProblem truth_of(const Scene& scene) {
  return {scene.true_cameras, scene.true_points, scene.problem.observations};
}

double cost(const BalProblem& problem) { return reconstruction_of(problem).cost(); }

TEST(Scene, FollowsItsSeedAndHasTheNumbersAskedFor) {
  const SceneOptions options{.num_cameras = 10, .num_points = 100, .mean_track_length = 3};
  SceneOptions other = options;
  other.seed = 2;
  EXPECT_EQ(make_scene(options).problem, make_scene(options).problem);
  EXPECT_NE(make_scene(options).problem, make_scene(other).problem);
  for (const int cameras : {2, 3, 16, 24, 60, 300}) {
    const Scene scene =
        make_scene({.num_cameras = cameras, .num_points = 2000, .mean_track_length = 2});
    EXPECT_EQ(static_cast<int>(scene.problem.cameras.size()), cameras);
    EXPECT_EQ(scene.problem.points.size(), 2000u);
    EXPECT_EQ(scene.problem.observations.size(), 4000u) << "every track is of length 2";
    std::set<std::int32_t> used;
    for (const auto& o : scene.problem.observations) used.insert(o.camera);
    EXPECT_EQ(static_cast<int>(used.size()), cameras) << "every camera sees something";
  }
}

TEST(Scene, MeetsTheMeanTrackLengthOrRefusesIt) {
  for (const double mean : {2.5, 4.5, 5.03}) {
    const Scene scene =
        make_scene({.num_cameras = 100, .num_points = 5000, .mean_track_length = mean});
    const double found = static_cast<double>(scene.problem.observations.size()) / 5000;
    EXPECT_NEAR(found, mean, 0.02 * mean);
    std::vector<int> lengths(5000, 0);
    for (const auto& o : scene.problem.observations) ++lengths[static_cast<std::size_t>(o.point)];
    EXPECT_GE(*std::ranges::min_element(lengths), 2);
    EXPECT_GE(*std::ranges::max_element(lengths), 2 * mean) << "long tracks exist";
  }
  const std::pair<SceneOptions, const char*> faults[] = {
      {{.num_cameras = 1}, "cameras = 1"},
      {{.num_points = 0}, "points = 0"},
      {{.mean_track_length = 1.5}, "track_length = 1.5"},
      {{.pixel_noise = -1}, "pixel_noise = -1"}};
  for (const auto& [options, message] : faults) {
    const auto scene = generate_scene(options);
    ASSERT_FALSE(scene);
    EXPECT_THAT(scene.error().message(), HasSubstr(message));
  }
}

TEST(Scene, ObservationsAreSortedDistinctAndTheTruthPlusNoise) {
  const Scene scene = make_scene({.num_cameras = 30, .num_points = 1000});
  const auto key = [](const BalObservation& o) { return std::pair(o.camera, o.point); };
  EXPECT_TRUE(std::ranges::is_sorted(scene.problem.observations, {}, key));
  EXPECT_EQ(std::ranges::adjacent_find(scene.problem.observations, {}, key),
            scene.problem.observations.end())
      << "a camera sees a point once";
  const Scene exact =
      make_scene({.num_cameras = 12, .num_points = 500, .mean_track_length = 3, .pixel_noise = 0});
  EXPECT_LT(cost(truth_of(exact)), 1e-20);

  const Scene noisy = make_scene({.num_cameras = 100, .num_points = 20000, .pixel_noise = 0.7});
  const auto count = 2.0 * static_cast<double>(noisy.problem.observations.size());
  const double variance = 2 * cost(truth_of(noisy)) / count;
  EXPECT_NEAR(variance / (0.7 * 0.7), 1.0, 5 * std::sqrt(2.0 / count));
}

TEST(Scene, StartIsOffByTheErrorsAskedFor) {
  SceneOptions options{.num_cameras = 400, .num_points = 4000};
  const Scene scene = make_scene(options);
  double points = 0, centers = 0;
  for (std::size_t i = 0; i < scene.true_points.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      points += std::pow(scene.problem.points[i][k] - scene.true_points[i][k], 2);
    }
  }
  for (std::size_t i = 0; i < scene.true_cameras.size(); ++i) {
    const Point3 a = camera_center(scene.problem.cameras[i]);
    const Point3 b = camera_center(scene.true_cameras[i]);
    for (std::size_t k = 0; k < 3; ++k) centers += std::pow(a[k] - b[k], 2);
  }
  EXPECT_NEAR(std::sqrt(points / 12000), options.point_error, 0.05 * options.point_error);
  EXPECT_NEAR(std::sqrt(centers / 1200), options.position_error, 0.15 * options.position_error);

  options.rotation_error = options.position_error = options.point_error = options.focal_error = 0;
  const Scene close = make_scene(options);
  EXPECT_EQ(close.problem.points, close.true_points);
  for (std::size_t i = 0; i < close.true_cameras.size(); ++i) {
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_NEAR(close.problem.cameras[i][k], close.true_cameras[i][k], 1e-9);
    }
  }
}

TEST(Scene, PointsAreSeenByNearbyCamerasOnly) {
  const Scene scene = make_scene({.num_cameras = 1000, .num_points = 3000});
  std::vector<std::vector<int>> tracks(3000);
  for (const auto& o : scene.problem.observations) {
    tracks[static_cast<std::size_t>(o.point)].push_back(o.camera);
    const Point3 p = camera_coordinates(scene.true_cameras[static_cast<std::size_t>(o.camera)],
                                        scene.true_points[static_cast<std::size_t>(o.point)]);
    EXPECT_LT(p[2], -1.0) << "in front of the camera";
    EXPECT_GT(p[2], -40.0);
  }
  for (const auto& track : tracks) {
    const auto [low, high] = std::ranges::minmax(track);
    const int span = std::min(high - low, 1000 - (high - low));  // the ring closes
    EXPECT_LT(span, 60);
  }
}

TEST(SortObservations, OrdersByCameraThenPoint) {
  BalProblem problem;
  problem.cameras.resize(2);
  problem.points.resize(3);
  problem.observations = {{1, 2, 0, 0}, {0, 2, 1, 0}, {1, 0, 2, 0}, {0, 1, 3, 0}, {1, 2, 4, 0}};
  sort_observations(problem);
  const std::vector<BalObservation> expected = {
      {0, 1, 3, 0}, {0, 2, 1, 0}, {1, 0, 2, 0}, {1, 2, 0, 0}, {1, 2, 4, 0}};
  EXPECT_EQ(problem.observations, expected) << "stable for repeated pairs";
}

}  // namespace
}  // namespace thallo::bundle_adjustment
