// Generated collections have what makes real ones hard, and no more.
#include "problems/bundle_adjustment/collection.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/camera_model.h"
#include "core/energy/energy.h"
#include "problems/bundle_adjustment/reconstruction.h"
#include "problems/bundle_adjustment/scene.h"
#include "problems/bundle_adjustment/scene_checks.h"
#include "tests/problems/loaded_problems.h"

namespace thallo::bundle_adjustment {
namespace {

using namespace bundler;

constexpr double FarFocalLength = 1e8;  // no lens has one as long

Scene made(const SceneOptions& options) { return generate_scene(options).value(); }

// The lengths of errors in pixels, by observation.
std::vector<double> errors_of(const BalProblem& problem) {
  std::vector<double> errors;
  for (const auto& o : problem.observations) {
    const Pixel pixel = project(problem.cameras[static_cast<std::size_t>(o.camera)],
                                problem.points[static_cast<std::size_t>(o.point)]);
    errors.push_back(std::hypot(pixel[0] - o.x, pixel[1] - o.y));
  }
  return errors;
}

std::vector<double> true_errors_of(const Scene& scene) {
  return errors_of({scene.true_cameras, scene.true_points, scene.problem.observations});
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The cameras that see each point.
std::vector<std::vector<std::int32_t>> tracks_of(const Scene& scene) {
  std::vector<std::vector<std::int32_t>> tracks(scene.true_points.size());
  for (const auto& o : scene.problem.observations)
    tracks[static_cast<std::size_t>(o.point)].push_back(o.camera);
  return tracks;
}

std::vector<Point3> centers_of(const Scene& scene) {
  std::vector<Point3> centers;
  for (const auto& camera : scene.true_cameras) centers.push_back(camera_center(camera));
  return centers;
}

class Collection : public testing::TestWithParam<SceneKind> {
 protected:
  SceneOptions options(int cameras, int points) const {
    return {.kind = GetParam(), .num_cameras = cameras, .num_points = points};
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Collection,
                         testing::Values(SceneKind::Street, SceneKind::Dome, SceneKind::Aerial,
                                         SceneKind::Venice));

TEST_P(Collection, IsOnePartOfTheNumbersAskedForAsItsSeedSays) {
  SceneOptions some = options(30, 300);
  const Scene scene = made(some);
  EXPECT_EQ(scene.problem, made(some).problem);
  some.seed = 2;
  EXPECT_NE(scene.problem, made(some).problem);
  // The start is worth a bundle adjustment, and within reach of one.
  const double error = median(errors_of(made(options(200, 8000)).problem));
  EXPECT_GT(error, 5);
  EXPECT_LT(error, 50);
  // 4 cameras are what explorations verify schedules on.
  for (const int cameras : {4, 20, 61, 400}) {
    SCOPED_TRACE(cameras);
    const Scene scene = made(options(cameras, 30 * cameras));
    EXPECT_EQ(scene.problem.cameras.size(), static_cast<std::size_t>(cameras));
    EXPECT_EQ(scene.problem.points.size(), 30u * static_cast<std::size_t>(cameras));
    const auto key = [](const BalObservation& o) { return std::pair(o.camera, o.point); };
    EXPECT_TRUE(std::ranges::is_sorted(scene.problem.observations, {}, key));
    EXPECT_EQ(std::ranges::adjacent_find(scene.problem.observations, {}, key),
              scene.problem.observations.end())
        << "a camera sees a point once";
    // Each camera and point is seen, points are in front of their cameras, and all are one part.
    EXPECT_THAT(doubts_of(reconstruction_of(scene.problem), {}), testing::IsEmpty());
  }
}

TEST_P(Collection, LengthsOfTracksFollowAPowerLaw) {
  const Scene scene = made(options(400, 40000));
  std::vector<double> counts(201);
  for (const auto& track : tracks_of(scene)) ++counts.at(track.size());
  EXPECT_EQ(counts[0] + counts[1], 0);
  // From the air no point is in more than about 12 pictures.
  const std::ptrdiff_t longest = GetParam() == SceneKind::Aerial ? 10 : 30;
  EXPECT_GT(std::accumulate(counts.begin() + longest, counts.end(), 0.0), 20);
  // In proportion to L to the power of -2.46. The points far away add to those of length 2.
  EXPECT_NEAR(std::log(counts[3] / counts[6]) / std::log(2), 2.46, 0.15);
  EXPECT_NEAR(std::log(0.98 * counts[2] / counts[4]) / std::log(2), 2.46, 0.15);
}

TEST_P(Collection, HasOutliersBesideNoise) {
  SceneOptions some = options(60, 6000);
  const std::vector<double> exact = true_errors_of(made(some));
  double sum = 0;
  for (const double error : exact) sum += error * error;
  EXPECT_NEAR(std::sqrt(sum / (2.0 * static_cast<double>(exact.size()))), some.pixel_noise, 0.01);

  some.outliers = 0.1;
  const Scene scene = made(some);
  const std::vector<double> errors = true_errors_of(scene);
  const auto far = std::ranges::count_if(errors, [](double error) { return error > 5; });
  EXPECT_NEAR(static_cast<double>(far) / static_cast<double>(errors.size()), 0.1, 0.01);
  EXPECT_NEAR(median(errors), 0.62, 0.05);
  std::vector<int> num_right(scene.true_points.size());
  for (std::size_t i = 0; i < errors.size(); ++i)
    num_right[static_cast<std::size_t>(scene.problem.observations[i].point)] += errors[i] < 5;
  EXPECT_EQ(std::ranges::min(num_right), 2) << "a mapper makes no point of fewer";
}

TEST_P(Collection, HasCamerasAndPointsFarAway) {
  const Scene scene = made(options(600, 20000));
  const auto is_far = [](const auto& camera) { return camera[6] > FarFocalLength; };
  EXPECT_NEAR(static_cast<double>(std::ranges::count_if(scene.true_cameras, is_far)), 3, 1);
  EXPECT_EQ(std::ranges::count_if(made(options(19, 100)).true_cameras, is_far), 0);

  const auto centers = centers_of(scene);
  const auto tracks = tracks_of(scene);
  int count = 0;
  for (std::size_t point = 0; point < scene.true_points.size(); ++point) {
    const auto& track = tracks[point];
    if (track.size() != 2) continue;
    std::vector<Point3> rays;
    for (const auto camera : track)
      rays.push_back(
          normalized(scene.true_points[point] - centers[static_cast<std::size_t>(camera)]));
    if (length(cross(rays[0], rays[1])) < 0.05) ++count;
  }
  EXPECT_GT(count, 200);
  EXPECT_LT(count, 1000);
}

// Those that stand side by side are not next to each other.
TEST_P(Collection, IsShuffled) {
  const auto centers = centers_of(made(options(300, 600)));
  std::vector<double> next, nearest;
  for (std::size_t i = 0; i + 1 < centers.size(); ++i) {
    next.push_back(distance(centers[i], centers[i + 1]));
    double least = next.back();
    for (std::size_t k = 0; k < centers.size(); ++k)
      if (k != i) least = std::min(least, distance(centers[i], centers[k]));
    nearest.push_back(least);
  }
  EXPECT_GT(median(next), 5 * median(nearest));
}

TEST(CollectionOptions, CamerasThatShareNoPointAndSharesAboveOneAreRefused) {
  const auto scene = generate_scene({.kind = SceneKind::Street, .num_cameras = 2});
  ASSERT_FALSE(scene);
  EXPECT_EQ(scene.error().message(), "camera 0 of 2 shares no point with another one");
  const auto outliers = generate_scene({.kind = SceneKind::Dome, .outliers = 1.5});
  ASSERT_FALSE(outliers);
  EXPECT_EQ(outliers.error().message(), "outliers = 1.5; a share is 0 to 1");
}

// Of a generated collection it is known that it has outliers; a file and a walk are as they are.
TEST(CollectionOptions, OutliersMakeTheLossHuberUnlessOneIsNamed) {
  const auto has_loss = [](Options options) {
    options.set("cameras", 20);
    options.set("points", 100);
    const auto instance = test::make("bundle_adjustment", options);
    const bool has = instance.energy.groups().front().loss.has_value();
    const bool is_said = instance.instance.title.find("loss") != std::string::npos;
    EXPECT_EQ(has && options.find_value("scene") != nullptr, is_said) << instance.instance.title;
    return has;
  };
  EXPECT_TRUE(has_loss({{"scene", "street"}}));
  EXPECT_TRUE(has_loss({{"scene", "venice"}, {"loss", "cauchy:2"}}));
  EXPECT_FALSE(has_loss({{"scene", "street"}, {"loss", "none"}}));
  EXPECT_FALSE(has_loss({{"scene", "street"}, {"outliers", 0.0}}));
  EXPECT_FALSE(has_loss({}));
  EXPECT_TRUE(has_loss({{"loss", "huber"}}));
}

}  // namespace
}  // namespace thallo::bundle_adjustment
