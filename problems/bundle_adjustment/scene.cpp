#include "problems/bundle_adjustment/scene.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "core/base/camera_model.h"
#include "core/base/random.h"
#include "problems/bundle_adjustment/collection.h"
#include "problems/bundle_adjustment/site.h"

namespace thallo::bundle_adjustment {

using namespace bundler;

namespace {

constexpr double WallDistance = 10.0;
constexpr double WallHeight = 8.0;
constexpr double CameraSpacing = 1.0;   // along the wall, when there are many cameras
constexpr double LargestStep = 0.26;    // radians between neighbors, when there are few
constexpr double SmallestRadius = 5.0;  // of the building
constexpr double GrazingCosine = 0.3;   // a surface seen flatter than this shows no features

struct Ring {
  double radius;  // of the building
  double step;    // angle between neighboring cameras
  bool closed;
};

Ring make_ring(int num_cameras) {
  const double whole = 2.0 * std::numbers::pi;
  const double step = std::min(whole / num_cameras, LargestStep);
  return {std::max(SmallestRadius, CameraSpacing / step), step, step * num_cameras > whole - 1e-9};
}

std::vector<BalProblem::Camera> make_cameras(const SceneOptions& options, const Ring& ring,
                                             Random& random) {
  std::vector<BalProblem::Camera> cameras;
  cameras.reserve(static_cast<std::size_t>(options.num_cameras));
  for (int i = 0; i < options.num_cameras; ++i) {
    // A hand-held walk: distance, height and aim vary.
    const double angle = ring.step * (i + random.uniform(-0.3, 0.3));
    const double distance = ring.radius + WallDistance * random.uniform(0.85, 1.15);
    const Point3 center = {distance * std::cos(angle), distance * std::sin(angle),
                           random.uniform(-1.5, 1.5)};
    const double aim = angle + random.uniform(-0.15, 0.15) * WallDistance / ring.radius;
    const Point3 target = {ring.radius * std::cos(aim), ring.radius * std::sin(aim),
                           random.uniform(-1.0, 1.0)};
    BalProblem::Camera camera = look_at(center, target);
    camera[6] = FocalLength * random.uniform(0.9, 1.1);
    camera[7] = random.uniform(-0.05, 0.0);
    camera[8] = random.uniform(0.0, 0.01);
    cameras.push_back(camera);
  }
  return cameras;
}

// Finds which cameras see a point, and where, among those near it along the ring.
class Visibility {
 public:
  struct Sight {
    int camera;
    Pixel pixel;
  };

  Visibility(const std::vector<BalProblem::Camera>& cameras, const Ring& ring)
      : cameras_(cameras), ring_(ring) {
    centers_.reserve(cameras.size());
    for (const auto& camera : cameras) centers_.push_back(camera_center(camera));
    // Nothing is seen beyond the horizon of the round wall, nor farther along it than the largest
    // grazing angle lets the farthest camera see.
    const double farthest = 1.2 * WallDistance;
    const double horizon = std::acos(ring.radius / (ring.radius + farthest));
    const double grazing = farthest * std::tan(std::acos(GrazingCosine)) / ring.radius;
    reach_ = static_cast<int>(std::min(horizon, grazing) / ring.step) + 1;
  }

  // `angle` is the point's place along the ring.
  const std::vector<Sight>& find(const Point3& point, double angle) {
    sights_.clear();
    const int count = static_cast<int>(cameras_.size());
    const int middle = static_cast<int>(std::lround(angle / ring_.step));
    const int reach = ring_.closed ? std::min(reach_, (count - 1) / 2) : reach_;
    for (int i = middle - reach; i <= middle + reach; ++i) {
      if (!ring_.closed && (i < 0 || i >= count)) continue;
      add_if_seen(((i % count) + count) % count, point, angle);
    }
    return sights_;
  }

 private:
  void add_if_seen(int i, const Point3& point, double angle) {
    const auto& camera = cameras_[static_cast<std::size_t>(i)];
    const Point3& center = centers_[static_cast<std::size_t>(i)];
    const Point3 ray = {center[0] - point[0], center[1] - point[1], center[2] - point[2]};
    const double facing = ray[0] * std::cos(angle) + ray[1] * std::sin(angle);
    const double distance = std::sqrt(ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2]);
    if (facing < GrazingCosine * distance) return;
    if (const auto pixel = find_pixel(camera, point)) sights_.push_back({i, *pixel});
  }

  const std::vector<BalProblem::Camera>& cameras_;
  Ring ring_;
  std::vector<Point3> centers_;
  int reach_;
  std::vector<Sight> sights_;
};

// 2 plus a number with a geometric distribution: short tracks are frequent, long ones exist, as in
// real collections.
int draw_track_length(double mean, Random& random) {
  if (mean <= 2.0) return 2;
  const double stop = 1.0 / (mean - 1.0);
  return 2 + static_cast<int>(std::log(1.0 - random.uniform()) / std::log(1.0 - stop));
}

void perturb(BalProblem::Camera& camera, const SceneOptions& options, Random& random) {
  const Point3 center = camera_center(camera);
  for (std::size_t k = 0; k < 3; ++k) camera[k] += options.rotation_error * random.normal();
  Point3 moved = center;
  for (double& coordinate : moved) coordinate -= options.position_error * random.normal();
  const Point3 t = rotate({camera[0], camera[1], camera[2]}, -moved);
  for (std::size_t k = 0; k < 3; ++k) camera[3 + k] = t[k];
  camera[6] *= 1.0 + options.focal_error * random.normal();
  camera[7] = camera[8] = 0;
}

}  // namespace

Expected<void> SceneOptions::validate() const {
  if (num_cameras < 2) return fail("cameras = {}; a scene needs at least 2", num_cameras);
  if (num_points < 1) return fail("points = {}; a scene needs at least 1", num_points);
  if (!(mean_track_length >= 2.0)) {
    return fail("track_length = {}; a point must be seen at least twice", mean_track_length);
  }
  if (!(outliers >= 0 && outliers <= 1)) return fail("outliers = {}; a share is 0 to 1", outliers);
  const std::pair<const char*, double> errors[] = {{"pixel_noise", pixel_noise},
                                                   {"rotation_error", rotation_error},
                                                   {"position_error", position_error},
                                                   {"point_error", point_error},
                                                   {"focal_error", focal_error}};
  for (const auto& [name, value] : errors) {
    if (!(value >= 0) || !std::isfinite(value)) return fail("{} = {} is negative", name, value);
  }
  return {};
}

Expected<Scene> generate_scene(const SceneOptions& options) {
  THALLO_CHECK(options.validate());
  if (options.kind != SceneKind::Walk) return generate_collection(options);
  Random random(options.seed);
  const Ring ring = make_ring(options.num_cameras);

  Scene scene;
  scene.true_cameras = make_cameras(options, ring, random);
  const auto num_points = static_cast<std::size_t>(options.num_points);
  scene.true_points.reserve(num_points);
  auto& observations = scene.problem.observations;
  observations.reserve(
      static_cast<std::size_t>(options.mean_track_length * options.num_points * 1.01) + 16);

  // Points lie from the first camera to the last, so that on an arc every camera has some in front
  // of it.
  const double arc = ring.closed ? 2.0 * std::numbers::pi : ring.step * (options.num_cameras - 1);
  Visibility visibility(scene.true_cameras, ring);
  for (std::size_t n = 0; n < num_points; ++n) {
    constexpr int MaxTries = 1000;
    for (int tries = 0;; ++tries) {
      if (tries == MaxTries) {
        return fail("no place on the wall is seen by two of the {} cameras", options.num_cameras);
      }
      const double angle = arc * random.uniform();
      const double height = WallHeight * (random.uniform() - 0.5);
      const double radius = ring.radius + relief(ring.radius * angle, height);
      const Point3 point = {radius * std::cos(angle), radius * std::sin(angle), height};
      std::vector<Visibility::Sight> sights = visibility.find(point, angle);
      if (sights.size() < 2) continue;
      // A track cannot be longer than what sees the point; the others make up for those cut short.
      const double missing = options.mean_track_length * static_cast<double>(n) -
                             static_cast<double>(observations.size());
      const double mean = options.mean_track_length + std::clamp(missing / 50.0, -1.0, 20.0);
      const auto length =
          std::min(static_cast<std::size_t>(draw_track_length(mean, random)), sights.size());
      for (std::size_t k = 0; k < length; ++k) {  // a random choice among those that see it
        std::swap(sights[k], sights[k + random.below(sights.size() - k)]);
        observations.push_back({sights[k].camera, static_cast<std::int32_t>(n),
                                sights[k].pixel[0] + options.pixel_noise * random.normal(),
                                sights[k].pixel[1] + options.pixel_noise * random.normal()});
      }
      scene.true_points.push_back(point);
      break;
    }
  }

  scene.problem.cameras = scene.true_cameras;
  for (auto& camera : scene.problem.cameras) perturb(camera, options, random);
  scene.problem.points = scene.true_points;
  for (auto& point : scene.problem.points) {
    for (double& coordinate : point) coordinate += options.point_error * random.normal();
  }
  sort_observations(scene.problem);
  return scene;
}

void sort_observations(BalProblem& problem) {
  // Two stable counting passes: by point, then by camera.
  auto pass = [&problem](std::size_t num_keys, std::int32_t BalObservation::*key) {
    std::vector<std::size_t> begin(num_keys + 1, 0);
    for (const auto& o : problem.observations) ++begin[static_cast<std::size_t>(o.*key) + 1];
    for (std::size_t k = 1; k <= num_keys; ++k) begin[k] += begin[k - 1];
    std::vector<BalObservation> sorted(problem.observations.size());
    for (const auto& o : problem.observations)
      sorted[begin[static_cast<std::size_t>(o.*key)]++] = o;
    problem.observations = std::move(sorted);
  };
  pass(problem.points.size(), &BalObservation::point);
  pass(problem.cameras.size(), &BalObservation::camera);
}

}  // namespace thallo::bundle_adjustment
