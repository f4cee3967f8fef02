#include "problems/bundle_adjustment/site.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace thallo::bundle_adjustment {

using namespace bundler;

namespace {

constexpr double Whole = 2.0 * std::numbers::pi;

Point3 on_circle(double angle, double radius, double height) {
  return {radius * std::cos(angle), radius * std::sin(angle), height};
}

void add_camera(Site& site, BalProblem::Camera pose, double focal_length, std::vector<Spot> spots) {
  pose[6] = focal_length;
  pose[7] = -0.03;
  pose[8] = 0.005;
  site.cameras.push_back(pose);
  site.spots.push_back(std::move(spots));
}

// Adds a camera with the usual lens, which looks at one spot.
void add_camera(Site& site, const Point3& center, const Spot& spot, const Point3& up = {0, 0, 1}) {
  add_camera(site, look_at(center, site.surface(spot).place, up), FocalLength, {spot});
}

// Patch 0 is the facade inside of the block's street, patch 1 that outside; u is the angle.
Site make_street(int num_cameras, Random& random) {
  constexpr double HalfStreet = 7.0, SmallestRadius = 40.0, LargestStep = 0.15;
  const int num_stops = (num_cameras + 2) / 3;  // of the car, one unit apart if they are many
  const double radius = std::max(SmallestRadius, num_stops / Whole);
  const double step = std::min(Whole / num_stops, LargestStep);
  const auto road = [radius](double angle) { return radius * (1.0 + 0.1 * std::cos(3 * angle)); };
  Site site;
  site.surface = [=](const Spot& spot) {
    const double side = spot.patch == 0 ? -1.0 : 1.0;
    const double distance =
        road(spot.u) + side * (HalfStreet + relief(radius * std::abs(spot.u), spot.v));
    return SurfacePoint{on_circle(spot.u, distance, spot.v), on_circle(spot.u, -side, 0)};
  };
  site.spread = {0, 4.0 / radius, 2.5};
  for (int i = 0; i < num_cameras; ++i) {
    const double angle = step * (i / 3 + random.uniform(-0.1, 0.1));
    const Point3 center = on_circle(angle, road(angle) + random.uniform(-0.5, 0.5), 2.0);
    const int patch = i % 3;
    if (patch == 2) {  // ahead: both sides
      const double far = angle + 12.0 / radius;
      add_camera(site, look_at(center, on_circle(far, road(far), 2.5)), FocalLength,
                 {{0, far, 3.0}, {1, far, 3.0}});
      continue;
    }
    const double ahead = 4.0 / (road(angle) + (patch == 0 ? -HalfStreet : HalfStreet));
    add_camera(site, center, {patch, angle + ahead, random.uniform(2.5, 3.5)});
  }
  return site;
}

// u is the angle around the thing and v that above the ground.
Site make_dome(int num_cameras, Random& random) {
  constexpr double Distance = 12.0;
  const double golden = std::numbers::pi * (3.0 - std::sqrt(5.0));
  Site site;
  site.surface = [](const Spot& spot) {
    const Point3 up = on_circle(spot.u, std::cos(spot.v), std::sin(spot.v));
    const double bumps = std::sin(5 * spot.u) * std::cos(3 * spot.v) + std::sin(7 * up[2]);
    return SurfacePoint{(3.5 + 0.3 * bumps) * up, up};
  };
  site.spread = {0, 0.5, 0.4};
  for (int i = 0; i < num_cameras; ++i) {
    const double angle = golden * i;
    const double above = std::asin(0.1 + 0.88 * (i + 0.5) / num_cameras);
    const Point3 center =
        Distance * random.uniform(0.9, 1.1) * on_circle(angle, std::cos(above), std::sin(above));
    add_camera(site, center, {0, angle + 0.15 * random.normal(), above + 0.15 * random.normal()});
  }
  return site;
}

// u and v are coordinates on the ground.
Site make_aerial(int num_cameras, Random& random) {
  constexpr double Height = 10.0;
  constexpr double Along = 0.2 * 2 * HalfHeight / FocalLength * Height;
  constexpr double Across = 0.4 * 2 * HalfWidth / FocalLength * Height;
  const int num_strips =
      std::max(1, static_cast<int>(std::lround(std::sqrt(num_cameras * Along / Across))));
  const int of_strip = (num_cameras + num_strips - 1) / num_strips;
  Site site;
  site.surface = [](const Spot& spot) {
    const double hill = std::sin(spot.u / 9) * std::cos(spot.v / 7);
    return SurfacePoint{{spot.u, spot.v, hill + relief(spot.u, spot.v)}, {0, 0, 1}};
  };
  site.spread = {0, 4.5, 3.5};
  for (int i = 0; i < num_cameras; ++i) {
    const int strip = i / of_strip;
    const double x = Across * (strip + random.uniform(-0.1, 0.1));
    const double y = Along * (i % of_strip + random.uniform(-0.1, 0.1));
    const Spot below{0, x + 0.3 * random.normal(), y + 0.3 * random.normal()};
    // The plane turns at the end of a strip.
    const Point3 forward = {0, strip % 2 == 0 ? 1.0 : -1.0, 0};
    add_camera(site, {x, y, Height + 0.2 * random.normal()}, below, forward);
  }
  return site;
}

// A patch is a landmark, u the angle on its round wall and v the height.
Site make_venice(int num_cameras, Random& random) {
  constexpr double Radius = 6.0, Height = 10.0, Apart = 50.0;
  constexpr double Canal = -0.25 * Whole;  // the angle at which the landmarks face the canal
  constexpr int OneWideIn = 12;
  const int num_landmarks = std::max(1, num_cameras / 30);
  std::vector<Point3> landmarks;
  for (int k = 0; k < num_landmarks; ++k)
    landmarks.push_back({Apart * k, random.uniform(-10, 10), 0});
  Site site{.has_one_lens = false};
  site.surface = [landmarks](const Spot& spot) {
    const double distance = Radius + relief(Radius * std::abs(spot.u), spot.v);
    return SurfacePoint{
        landmarks[static_cast<std::size_t>(spot.patch)] + on_circle(spot.u, distance, spot.v),
        on_circle(spot.u, 1, 0)};
  };
  site.spread = {0, 0.4, 2.5};
  for (int i = 0; i < num_cameras; ++i) {
    if (i % OneWideIn == OneWideIn - 1) {
      const int first = (i / OneWideIn) % std::max(1, num_landmarks - 1);
      const int reach = std::min(1 + static_cast<int>(random.below(3)), num_landmarks - 1 - first);
      const Point3& a = landmarks[static_cast<std::size_t>(first)];
      const Point3& b = landmarks[static_cast<std::size_t>(first + reach)];
      const Point3 middle = 0.5 * (a + b) + Point3{0, 0, 0.5 * Height};
      const double away = std::max(Apart, distance(a, b)) * random.uniform(0.8, 1.2);
      add_camera(site, look_at(middle + on_circle(Canal, away, 0), middle),
                 FocalLength * random.uniform(0.7, 1.0),
                 {{first, Canal, 0.5 * Height}, {first + reach, Canal, 0.5 * Height}});
      continue;
    }
    // Half of the crowd goes where all go.
    const double fame = random.uniform();
    const int k =
        i % 2 == 0 ? i / 2 % num_landmarks : static_cast<int>(num_landmarks * fame * fame);
    const double angle = Canal + random.uniform(-1, 1);
    const Point3 center = landmarks[static_cast<std::size_t>(k)] +
                          on_circle(angle, Radius + random.uniform(6, 16), 1.7);
    const Spot spot{k, angle + 0.2 * random.normal(), random.uniform(2, Height - 1)};
    add_camera(site, look_at(center, site.surface(spot).place),
               FocalLength * std::exp(0.4 * random.normal()), {spot});
  }
  return site;
}

}  // namespace

Site make_site(SceneKind kind, int num_cameras, Random& random) {
  switch (kind) {
    case SceneKind::Dome: return make_dome(num_cameras, random);
    case SceneKind::Aerial: return make_aerial(num_cameras, random);
    case SceneKind::Venice: return make_venice(num_cameras, random);
    default: return make_street(num_cameras, random);
  }
}

BalProblem::Camera look_at(const Point3& center, const Point3& target, const Point3& up) {
  const Point3 z = normalized(center - target);
  const Point3 x = normalized(cross(up, z));
  const Point3 w = rotation_vector_of_rows(x, cross(z, x), z);
  const Point3 t = rotate(w, -center);
  return {w[0], w[1], w[2], t[0], t[1], t[2], 0, 0, 0};
}

std::optional<Pixel> find_pixel(const BalProblem::Camera& camera, const Point3& point) {
  if (camera_coordinates(camera, point)[2] > -1.0) return {};  // behind the camera, or nearly
  const Pixel pixel = project(camera, point);
  const bool is_inside = std::abs(pixel[0]) <= HalfWidth && std::abs(pixel[1]) <= HalfHeight;
  return is_inside ? std::optional(pixel) : std::nullopt;
}

double relief(double along, double height) {
  const bool window = std::fmod(std::abs(along), 3.0) < 1.4 && std::fmod(height + 8.0, 2.6) < 1.5;
  return window ? -0.6 : 0.25 * std::sin(2.0 * std::numbers::pi * along / 6.0);
}

}  // namespace thallo::bundle_adjustment
