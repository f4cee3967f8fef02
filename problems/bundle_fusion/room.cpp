#include "problems/bundle_fusion/room.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "core/base/random.h"

namespace thallo::bundle_fusion {
namespace {

// x to the right, y down, z to the back wall; meters.
struct Box {
  Vector3 low;
  Vector3 high;
};

struct Ball {
  Vector3 center;
  double radius;
};

constexpr Box Walls = {{-1.3, -0.9, -1.2}, {1.2, 0.75, 1.55}};
constexpr Box Crate = {{0.15, 0.35, 0.85}, {0.65, 0.75, 1.25}};
constexpr std::array<Ball, 3> Balls = {
    Ball{{-0.55, 0.4, 1.05}, 0.35}, {{0.4, 0.17, 1.05}, 0.18}, {{-0.05, 0.6, 0.7}, 0.15}};

constexpr double NoHit = std::numeric_limits<double>::infinity();

struct Hit {
  double depth = NoHit;  // along the ray, in units of its direction
  Vector3 color{};
};

// Where the ray enters the box and where it leaves it, and through which side it leaves.
struct Crossing {
  double enter = -NoHit;
  double leave = NoHit;
  std::size_t exit_side = 0;
};

Crossing cross_box(const Box& box, const Vector3& from, const Vector3& way) {
  Crossing crossing;
  for (std::size_t k = 0; k < 3; ++k) {
    const double a = (box.low[k] - from[k]) / way[k];
    const double b = (box.high[k] - from[k]) / way[k];
    crossing.enter = std::max(crossing.enter, std::min(a, b));
    if (std::max(a, b) < crossing.leave) {
      crossing.leave = std::max(a, b);
      crossing.exit_side = 2 * k + (b > a ? 1 : 0);
    }
  }
  return crossing;
}

// How far along the ray its first intersection with the ball is, or NoHit.
double meet_ball(const Ball& ball, const Vector3& from, const Vector3& way) {
  const Vector3 to_center = ball.center - from;
  const double along = dot(to_center, way) / dot(way, way);
  const Vector3 nearest = to_center - along * way;
  const double inside = ball.radius * ball.radius - dot(nearest, nearest);
  if (inside < 0) return NoHit;
  const double first = along - std::sqrt(inside / dot(way, way));
  return first > 0 ? first : NoHit;
}

// Tiles of 15 cm, darker and brighter in turn.
Vector3 tiled(const Vector3& color, const Vector3& at) {
  int sum = 0;
  for (const double x : at) sum += static_cast<int>(std::floor(x / 0.15 + 1e-6));
  return (sum % 2 == 0 ? 1.0 : 0.72) * color;
}

Hit cast_ray(const Vector3& from, const Vector3& way) {
  // Left, right, ceiling, floor, front, back.
  constexpr std::array<Vector3, 6> WallColors = {{{0.75, 0.45, 0.4},
                                                  {0.45, 0.6, 0.8},
                                                  {0.9, 0.9, 0.9},
                                                  {0.7, 0.6, 0.45},
                                                  {0.8, 0.8, 0.8},
                                                  {0.85, 0.8, 0.6}}};
  constexpr std::array<Vector3, 3> BallColors = {
      {{0.3, 0.65, 0.45}, {0.9, 0.55, 0.2}, {0.55, 0.4, 0.75}}};
  constexpr Vector3 CrateColor = {0.55, 0.5, 0.5};
  const Crossing walls = cross_box(Walls, from, way);
  Hit hit = {walls.leave, WallColors[walls.exit_side]};
  const Crossing crate = cross_box(Crate, from, way);
  if (crate.enter > 0 && crate.enter < crate.leave && crate.enter < hit.depth) {
    hit = {crate.enter, CrateColor};
  }
  for (std::size_t i = 0; i < Balls.size(); ++i) {
    const double depth = meet_ball(Balls[i], from, way);
    if (depth < hit.depth) hit = {depth, BallColors[i]};
  }
  hit.color = tiled(hit.color, from + hit.depth * way);
  return hit;
}

// Half a swing from left to right, with the eye on the middle of the room.
RigidMotion camera_at(double progress) {
  const double phase = std::numbers::pi * (progress - 0.5);
  const Vector3 eye = {0.45 * std::sin(phase), 0.12 * std::sin(2.7 * phase) - 0.1,
                       -0.15 + 0.12 * std::cos(1.8 * phase)};
  const Vector3 goal = {-0.05 - 0.1 * std::sin(phase), 0.22, 1.1};
  const auto unit = [](const Vector3& v) { return 1 / length(v) * v; };
  const Vector3 forward = unit(goal - eye);
  const Vector3 right = unit(cross({0.05 * std::cos(3 * phase), 1, 0}, forward));
  const Vector3 down = cross(forward, right);
  RigidMotion pose;
  for (std::size_t i = 0; i < 3; ++i) {
    pose.rotation[3 * i] = right[i];
    pose.rotation[3 * i + 1] = down[i];
    pose.rotation[3 * i + 2] = forward[i];
  }
  pose.translation = eye;
  return pose;
}

}  // namespace

DepthVideo make_room(const RoomOptions& options) {
  const int width = options.width;
  const int height = std::max(1, 3 * width / 4);
  const double focal_length = 0.92 * width;
  DepthVideo video;
  video.camera = {{focal_length, focal_length}, {(width - 1) / 2.0, (height - 1) / 2.0}};
  Random random(options.seed);
  for (int f = 0; f < options.frames; ++f) {
    const RigidMotion pose = camera_at(f / std::max(1.0, options.frames - 1.0));
    DepthFrame frame = {Image(width, height, 1), Image(width, height, 3), pose};
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        // One unit along z in the camera's space, so that lengths on the ray are depths.
        const Hit hit = cast_ray(pose.translation, pose.turn(video.camera.point(x, y, 1)));
        const double noise = options.noise * hit.depth * hit.depth * random.normal();
        frame.depth.at(x, y) = static_cast<float>(hit.depth + noise);
        for (int c = 0; c < 3; ++c) {
          frame.color.at(x, y, c) = static_cast<float>(hit.color[static_cast<std::size_t>(c)]);
        }
      }
    }
    video.frames.push_back(std::move(frame));
  }
  const RigidMotion to_first = inverse(video.frames.front().pose);
  for (DepthFrame& frame : video.frames) frame.pose = to_first * frame.pose;
  return video;
}

}  // namespace thallo::bundle_fusion
