#include "problems/bundle_adjustment/collection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <nanoflann.hpp>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/camera_model.h"
#include "core/base/random.h"
#include "problems/bundle_adjustment/site.h"

namespace thallo::bundle_adjustment {

using namespace bundler;

namespace {

constexpr int LongestTrack = 200;
constexpr double FarShare = 0.02;  // of the points
constexpr double FarFocalLength = 1e9;
constexpr std::size_t OneFarCameraIn = 200, FewestCamerasWithFarOne = 20;
constexpr double FlattestCosine = 0.2;  // a surface seen flatter than this shows no features
constexpr double DriftShare = 0.004;    // of the extent of the scene, by which places are off

// Lengths of tracks by a power law with the given mean.
class TrackLengths {
 public:
  TrackLengths(double mean, int longest) : sums_(static_cast<std::size_t>(longest) - 1) {
    double low = 0, high = 20;  // the exponent; the mean falls as it grows
    for (int i = 0; i < 50; ++i) {
      const double exponent = 0.5 * (low + high);
      (set(exponent) > mean ? low : high) = exponent;
    }
  }

  int draw(Random& random) const {
    const double place = random.uniform() * sums_.back();
    return 2 + static_cast<int>(std::ranges::upper_bound(sums_, place) - sums_.begin());
  }

 private:
  // Returns the mean.
  double set(double exponent) {
    double sum = 0, mean = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const double length = 2.0 + static_cast<double>(i);
      const double share = std::pow(length, -exponent);
      sum += share;
      mean += share * length;
      sums_[i] = sum;
    }
    return mean / sum;
  }

  std::vector<double> sums_;  // of the probabilities of lengths up to 2 + index
};

// The cameras by the places that they look at, in the form in which nanoflann reads them.
class Onlookers {
 public:
  explicit Onlookers(std::vector<std::pair<Point3, std::int32_t>> looks)
      : looks_(std::move(looks)), index_(3, *this) {}

  // Returns about `count` cameras whose places are the nearest.
  std::vector<std::int32_t> find(const Point3& place, std::size_t count) const {
    std::vector<std::uint32_t> found(std::min(count, looks_.size()));
    std::vector<double> squares(found.size());
    found.resize(index_.knnSearch(place.data(), found.size(), found.data(), squares.data()));
    std::vector<std::int32_t> cameras;
    for (const std::uint32_t at : found) cameras.push_back(looks_[at].second);
    std::ranges::sort(cameras);
    cameras.erase(std::ranges::unique(cameras).begin(), cameras.end());
    return cameras;
  }

  // Returns the largest distance of a place from the first one.
  double extent() const {
    double extent = 1;
    for (const auto& look : looks_)
      extent = std::max(extent, distance(look.first, looks_.front().first));
    return extent;
  }

  std::size_t kdtree_get_point_count() const { return looks_.size(); }
  double kdtree_get_pt(std::size_t look, std::size_t axis) const {
    return looks_[look].first[axis];
  }
  template <class Box>
  bool kdtree_get_bbox(Box& /*box*/) const {
    return false;  // it is computed
  }

 private:
  std::vector<std::pair<Point3, std::int32_t>> looks_;
  nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Onlookers>, Onlookers, 3,
                                      std::uint32_t>
      index_;
};

// A rigid motion of the world about a place.
struct Motion {
  Point3 about{}, rotation{}, shift{};

  Point3 inverse(const Point3& point) const {
    return about + rotate(-rotation, point - about - shift);
  }
  // The camera sees a point where it saw the moved point before.
  void move(BalProblem::Camera& camera) const {
    const Point3 w = {camera[0], camera[1], camera[2]};
    const Point3 t = rotate(w, about - rotate(rotation, about) + shift);
    const auto row = [&](const Point3& axis) { return rotate(-rotation, rotate(-w, axis)); };
    const Point3 moved = rotation_vector_of_rows(row({1, 0, 0}), row({0, 1, 0}), row({0, 0, 1}));
    for (std::size_t k = 0; k < 3; ++k) {
      camera[k] = moved[k];
      camera[3 + k] += t[k];
    }
  }
};

// Errors of places that add up: waves as long as the scene.
class Drift {
 public:
  Drift(double extent, Random& random) : size_(DriftShare * extent) {
    for (auto& [direction, phase] : waves_) {
      const Point3 along = normalized({random.normal(), random.normal(), random.normal()});
      direction = 2 * std::numbers::pi / extent * along;
      phase = random.uniform(0, 2 * std::numbers::pi);
    }
  }

  Point3 at(const Point3& place) const {
    Point3 shift{};
    for (std::size_t k = 0; k < 3; ++k)
      shift[k] = size_ * std::sin(dot(waves_[k].first, place) + waves_[k].second);
    return shift;
  }

 private:
  double size_;
  std::array<std::pair<Point3, double>, 3> waves_;
};

std::vector<std::pair<Point3, std::int32_t>> looks_of(const Site& site) {
  std::vector<std::pair<Point3, std::int32_t>> looks;
  for (std::size_t camera = 0; camera < site.spots.size(); ++camera)
    for (const Spot& spot : site.spots[camera])
      looks.emplace_back(site.surface(spot).place, static_cast<std::int32_t>(camera));
  return looks;
}

template <class T>
void reorder(std::vector<T>& items, const std::vector<std::int32_t>& places) {
  std::vector<T> ordered(items.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    ordered[static_cast<std::size_t>(places[i])] = items[i];
  items = std::move(ordered);
}

std::vector<std::int32_t> shuffled(std::size_t count, Random& random) {
  std::vector<std::int32_t> places(count);
  std::iota(places.begin(), places.end(), 0);
  for (std::size_t i = count; i > 1; --i) std::swap(places[i - 1], places[random.below(i)]);
  return places;
}

class Collection {
 public:
  explicit Collection(const SceneOptions& options)
      : options_(options),
        random_(options.seed),
        site_(make_site(options.kind, options.num_cameras, random_)),
        onlookers_(looks_of(site_)),
        lengths_(options.mean_track_length, std::min(LongestTrack, options.num_cameras)),
        drift_(onlookers_.extent(), random_) {
    put_cameras_far_away();
    for (const auto& camera : site_.cameras) centers_.push_back(camera_center(camera));
    perturb_cameras();
    scene_.true_cameras = site_.cameras;
  }

  Expected<Scene> make() {
    for (std::int32_t n = 0; n < options_.num_points; ++n) {
      // Each camera is the first of as many points as the others.
      const auto first = n % options_.num_cameras;
      if (!(random_.uniform() < FarShare && add_far_point(first)) && !add_point(first))
        return fail("camera {} of {} shares no point with another one", first,
                    options_.num_cameras);
    }
    add_outliers();
    shuffle();
    return std::move(scene_);
  }

 private:
  struct Sight {
    std::int32_t camera;
    Pixel pixel;
  };

  BalProblem::Camera& camera(std::int32_t number) {
    return site_.cameras[static_cast<std::size_t>(number)];
  }
  const Point3& center(std::int32_t camera) const {
    return centers_[static_cast<std::size_t>(camera)];
  }

  // Moves cameras that look at one spot back along their view, so that they see nearly the same.
  void put_cameras_far_away() {
    const std::size_t count =
        (site_.cameras.size() + OneFarCameraIn - FewestCamerasWithFarOne) / OneFarCameraIn;
    const auto order = shuffled(site_.cameras.size(), random_);
    for (std::size_t i = 0, moved = 0; moved < count; ++i) {
      const auto& spots = site_.spots[static_cast<std::size_t>(order[i])];
      if (spots.size() > 1) continue;
      ++moved;
      auto& lens = camera(order[i]);
      const double depth = -camera_coordinates(lens, site_.surface(spots.front()).place)[2];
      lens[5] -= depth * (FarFocalLength / lens[6] - 1);
      lens[6] = FarFocalLength;
      lens[7] = lens[8] = 0;
    }
  }

  void perturb_cameras() {
    const double of_lens = options_.focal_error * random_.normal();
    for (std::size_t i = 0; i < site_.cameras.size(); ++i) {
      const Point3 spot = site_.surface(site_.spots[i].front()).place;
      Motion motion{.about = spot, .rotation = {}, .shift = drift_.at(spot)};
      for (std::size_t k = 0; k < 3; ++k) {
        motion.rotation[k] = options_.rotation_error * random_.normal();
        motion.shift[k] += options_.position_error * random_.normal();
      }
      BalProblem::Camera start = site_.cameras[i];
      motion.move(start);
      start[6] *= 1 + (site_.has_one_lens ? of_lens : options_.focal_error * random_.normal());
      start[7] = start[8] = 0;
      scene_.problem.cameras.push_back(start);
      motions_.push_back(motion);
    }
  }

  std::optional<Sight> find_sight(std::int32_t number, const SurfacePoint& point) {
    const Point3 ray = center(number) - point.place;
    if (dot(ray, point.normal) < FlattestCosine * length(ray)) return {};
    const auto pixel = find_pixel(camera(number), point.place);
    return pixel ? std::optional(Sight{number, *pixel}) : std::nullopt;
  }

  Spot draw_spot(std::int32_t number) {
    const auto& spots = site_.spots[static_cast<std::size_t>(number)];
    const Spot& spot = spots[random_.below(spots.size())];
    return {spot.patch, spot.u + site_.spread.u * random_.normal(),
            spot.v + site_.spread.v * random_.normal()};
  }

  bool add_point(std::int32_t first) {
    constexpr int MaxTries = 1000;
    const int track_length = lengths_.draw(random_);
    for (int tries = 0; tries < MaxTries; ++tries) {
      const SurfacePoint point = site_.surface(draw_spot(first));
      const auto seen = find_sight(first, point);
      if (!seen) continue;
      std::vector<Sight> sights;
      for (const auto other :
           onlookers_.find(point.place, 3 * static_cast<std::size_t>(track_length) + 6)) {
        if (other == first) continue;
        if (const auto sight = find_sight(other, point)) sights.push_back(*sight);
      }
      if (sights.empty()) continue;
      // A random choice among those that see it.
      const auto length = std::min(static_cast<std::size_t>(track_length), sights.size() + 1);
      for (std::size_t k = 0; k + 1 < length; ++k)
        std::swap(sights[k], sights[k + random_.below(sights.size() - k)]);
      sights.resize(length - 1);
      sights.insert(sights.begin(), *seen);
      if (add_track(point.place, sights)) return true;
    }
    return false;
  }

  // Adds a point far behind the surface, if a second camera has it in its picture.
  bool add_far_point(std::int32_t first) {
    const SurfacePoint near = site_.surface(draw_spot(first));
    const Point3 ray = normalized(near.place - center(first));
    const Point3 point = near.place + 10 * std::exp(random_.uniform(1.5, 4.5)) * ray;
    const auto seen = find_pixel(camera(first), point);
    if (!seen) return false;
    for (const auto other : onlookers_.find(near.place, 10)) {
      const auto pixel = find_pixel(camera(other), point);
      if (other == first || !pixel) continue;
      return add_track(point, {{first, *seen}, {other, *pixel}});
    }
    return false;
  }

  // Adds nothing if the start is behind a camera: a mapper keeps no such point.
  bool add_track(const Point3& point, const std::vector<Sight>& sights) {
    const Point3 start = start_of(point, sights);
    for (const Sight& sight : sights) {
      const auto& from = scene_.problem.cameras[static_cast<std::size_t>(sight.camera)];
      if (camera_coordinates(from, start)[2] > -1.0) return false;
    }
    const auto number = static_cast<std::int32_t>(scene_.true_points.size());
    for (const auto& [camera, pixel] : sights)
      scene_.problem.observations.push_back({camera, number,
                                             pixel[0] + options_.pixel_noise * random_.normal(),
                                             pixel[1] + options_.pixel_noise * random_.normal()});
    scene_.true_points.push_back(point);
    scene_.problem.points.push_back(start);
    return true;
  }

  // Returns where the first camera of a track sees the point, at a depth that is as uncertain as
  // the largest angle between the rays leaves it.
  Point3 start_of(const Point3& point, const std::vector<Sight>& sights) {
    constexpr double LargestError = 0.3;  // as a share of the way to the camera
    constexpr double UsualAngle = 0.1;
    const auto first = sights.front().camera;
    const Point3 to_first = point - center(first);
    double angle = 0;
    for (const Sight& sight : sights) {
      const Point3 to_other = normalized(point - center(sight.camera));
      angle = std::max(angle, length(cross(normalized(to_first), to_other)));
    }
    // A usual camera ten units away, whose ray another one meets at UsualAngle, has the error that
    // was asked for.
    const double pixels = options_.point_error * UsualAngle * FocalLength / 10;
    const double share = pixels / camera(first)[6] / angle * random_.normal();
    const Point3 moved = point + std::clamp(share, -LargestError, LargestError) * to_first;
    return motions_[static_cast<std::size_t>(first)].inverse(moved);
  }

  // A point keeps its first two observations: a mapper makes none on which no two pictures agree.
  void add_outliers() {
    auto& observations = scene_.problem.observations;
    std::vector<BalObservation*> others;
    for (std::size_t i = 2; i < observations.size(); ++i)
      if (observations[i].point == observations[i - 2].point) others.push_back(&observations[i]);
    const double share = options_.outliers * static_cast<double>(observations.size()) /
                         static_cast<double>(others.size());
    for (BalObservation* seen : others) {
      if (random_.uniform() >= share) continue;
      seen->x = random_.uniform(-HalfWidth, HalfWidth);
      seen->y = random_.uniform(-HalfHeight, HalfHeight);
    }
  }

  void shuffle() {
    const auto cameras = shuffled(scene_.true_cameras.size(), random_);
    const auto points = shuffled(scene_.true_points.size(), random_);
    reorder(scene_.true_cameras, cameras);
    reorder(scene_.problem.cameras, cameras);
    reorder(scene_.true_points, points);
    reorder(scene_.problem.points, points);
    for (auto& o : scene_.problem.observations) {
      o.camera = cameras[static_cast<std::size_t>(o.camera)];
      o.point = points[static_cast<std::size_t>(o.point)];
    }
    sort_observations(scene_.problem);
  }

  SceneOptions options_;
  Random random_;
  Site site_;
  Onlookers onlookers_;
  TrackLengths lengths_;
  Drift drift_;
  std::vector<Point3> centers_;  // of the cameras
  std::vector<Motion> motions_;  // from the truth to the start, by camera
  Scene scene_;
};

}  // namespace

Expected<Scene> generate_collection(const SceneOptions& options) {
  return Collection(options).make();
}

}  // namespace thallo::bundle_adjustment
