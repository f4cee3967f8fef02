#include "problems/bundle_adjustment/scene_view.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/camera_model.h"
#include "core/problem/report/canvas.h"

namespace thallo::bundle_adjustment {

using namespace bundler;

namespace {

// Blue, green, yellow, red over the logarithm of the error.
Rgb color_of_error(double pixels) {
  constexpr double Best = 0.5;
  constexpr double Worst = 5.0;
  constexpr Rgb Scale[] = {{40, 90, 200}, {40, 165, 120}, {235, 185, 40}, {205, 40, 30}};
  return color_on(
      Scale,
      std::clamp(std::log(std::max(pixels, Best) / Best) / std::log(Worst / Best), 0.0, 1.0));
}

// 0 when there are no values.
double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  const auto at = values.begin() +
                  static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// A center and a size that a few points far away hardly change.
struct Extent {
  Point3 center{};
  double radius = 1;  // half of the points are within
};

Extent extent_of(const Reconstruction& scene) {
  Extent extent;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    for (const auto& point : scene.points) values.push_back(point[axis]);
    extent.center[axis] = quantile(std::move(values), 0.5);
  }
  std::vector<double> distances;
  for (const auto& point : scene.points) {
    distances.push_back(distance(point, extent.center));
  }
  const double radius = quantile(std::move(distances), 0.5);
  if (radius > 0) extent.radius = radius;
  return extent;
}

Point3 to_world(const Reconstruction::Pose& pose, const Point3& direction) {
  return rotate({-pose[0], -pose[1], -pose[2]}, direction);
}

Point3 center_of(const Reconstruction::Pose& pose) {
  return to_world(pose, {-pose[3], -pose[4], -pose[5]});
}

// The axis k (0 right, 1 up, 2 backward) of the camera of a pose in the world.
Point3 camera_axis(const Reconstruction& scene, const Reconstruction::Pose& pose, std::size_t k) {
  Point3 axis{};
  axis[k] = scene.looks_along_z && k > 0 ? -1 : 1;
  return to_world(pose, axis);
}

// An orthographic view: two world directions, where the picture's center is, pixels a unit.
struct View {
  std::array<Point3, 2> axes;
  Point3 center;
  double scale;
  int size;

  std::array<double, 2> place(const Point3& point) const {
    return {size / 2.0 + scale * dot(axes[0], point - center),
            size / 2.0 - scale * dot(axes[1], point - center)};
  }
};

// The directions of the two largest eigenvalues of a symmetric matrix, each with its largest entry
// positive.
std::array<Point3, 2> principal_axes(const Eigen::Matrix3d& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(matrix);  // ascending
  std::array<Point3, 2> axes{};
  for (std::size_t k = 0; k < 2; ++k) {
    const Eigen::Vector3d axis = solver.eigenvectors().col(2 - static_cast<Eigen::Index>(k));
    Eigen::Index largest = 0;
    axis.cwiseAbs().maxCoeff(&largest);
    axes[k] = (axis[largest] < 0 ? -1.0 : 1.0) * Point3{axis[0], axis[1], axis[2]};
  }
  return axes;
}

// The two directions in which the bulk of the points and the cameras is widest.
View make_view(const Reconstruction& scene, int size) {
  const Extent extent = extent_of(scene);
  std::vector<Point3> bulk;
  for (const auto& pose : scene.poses) bulk.push_back(center_of(pose));
  for (const auto& point : scene.points) bulk.push_back(point);
  std::erase_if(bulk, [&extent](const Point3& p) {
    return !(distance(p, extent.center) < 4 * extent.radius);
  });
  const double count = std::max<double>(1, static_cast<double>(bulk.size()));
  View view{{}, {}, 1, size};
  for (const Point3& p : bulk) view.center = view.center + 1 / count * p;
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (const Point3& p : bulk) {
    const Point3 away = p - view.center;
    const Eigen::Map<const Eigen::Vector3d> v(away.data());
    covariance += v * v.transpose() / count;
  }
  view.axes = principal_axes(covariance);
  // All but a few stray points are inside, and all but stray cameras, whose focal length has no
  // limit.
  constexpr double Stray = 20;  // radii
  const auto reach_of = [&view](const Point3& p) {
    const auto [u, v] = view.place(p);
    return std::max(std::abs(u - view.size / 2.0), std::abs(v - view.size / 2.0));
  };
  double reach = 0;
  for (const auto& pose : scene.poses) {
    const Point3 center = center_of(pose);
    if (distance(center, extent.center) < Stray * extent.radius)
      reach = std::max(reach, reach_of(center));
  }
  std::vector<double> reaches;
  for (const Point3& p : bulk) reaches.push_back(reach_of(p));
  reach = std::max(reach, quantile(std::move(reaches), 0.98));
  if (reach > 0) view.scale = 0.48 * size / reach;
  return view;
}

void draw_scene(Canvas& canvas, const Reconstruction& scene, const View& view, int left) {
  canvas.clip(left, left + view.size);
  const std::vector<double> errors = point_errors(scene);
  // Large clouds are drawn thinner, so that density shows.
  const double opacity = std::clamp(2e4 / static_cast<double>(scene.points.size() + 1), 0.15, 0.9);
  for (std::size_t i = 0; i < scene.points.size(); ++i) {
    const auto [u, v] = view.place(scene.points[i]);
    canvas.dot({left + u, v}, {color_of_error(errors[i]), 1.4, opacity});
  }
  constexpr Rgb Black = {20, 20, 20};
  for (const auto& pose : scene.poses) {
    const Point3 center = center_of(pose);
    const Point3 backward = camera_axis(scene, pose, 2);
    const auto [u, v] = view.place(center);
    canvas.dot({left + u, v}, {Black, 4.4});
    const auto [s, t] = view.place(center - backward);
    constexpr int Length = 9;  // pixels, in the direction of view
    const double scale = Length / view.scale;
    canvas.line({left + u, v}, {left + u + scale * (s - u), v + scale * (t - v)}, {Black, 0.8});
  }
}

}  // namespace

std::vector<double> point_errors(const Reconstruction& scene) {
  std::vector<double> sums(scene.points.size(), 0.0);
  std::vector<int> counts(scene.points.size(), 0);
  for (const LensGroup& group : scene.groups) {
    for (const Observation& o : group.observations) {
      const auto point = static_cast<std::size_t>(o.point);
      const auto [x, y] = scene.error(o);
      sums[point] += x * x + y * y;
      ++counts[point];
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = counts[i] > 0 ? std::sqrt(sums[i] / counts[i]) : 0.0;
  }
  return sums;
}

Mesh make_scene_mesh(const Reconstruction& scene) {
  Mesh mesh;
  mesh.positions.reserve(scene.points.size() + 5 * scene.poses.size());
  mesh.colors.reserve(mesh.positions.capacity());
  const std::vector<double> errors = point_errors(scene);
  for (std::size_t i = 0; i < scene.points.size(); ++i) {
    mesh.positions.push_back(scene.points[i]);
    mesh.add_color(color_of_error(errors[i]));
  }
  const double size = 0.05 * extent_of(scene).radius;
  constexpr Rgb Body = {60, 60, 60};
  for (const auto& pose : scene.poses) {
    const auto apex = static_cast<std::int32_t>(mesh.positions.size());
    const Point3 center = center_of(pose);
    const std::array<Point3, 3> axes = {camera_axis(scene, pose, 0), camera_axis(scene, pose, 1),
                                        camera_axis(scene, pose, 2)};
    const auto add = [&](double right, double up, double forward) {
      mesh.positions.push_back(center +
                               size * (right * axes[0] + up * axes[1] - forward * axes[2]));
      mesh.add_color(Body);
    };
    add(0, 0, 0);
    add(-0.5, -0.4, 1);
    add(0.5, -0.4, 1);
    add(0.5, 0.4, 1);
    add(-0.5, 0.4, 1);
    for (std::int32_t k = 0; k < 4; ++k) {
      mesh.triangles.push_back({apex, apex + 1 + k, apex + 1 + (k + 1) % 4});
    }
    mesh.triangles.push_back({apex + 1, apex + 3, apex + 2});
    mesh.triangles.push_back({apex + 1, apex + 4, apex + 3});
  }
  return mesh;
}

Image draw_scenes(const Reconstruction& before, const Reconstruction& after) {
  constexpr int Size = 480;
  constexpr int Gap = 8;
  const View view = make_view(after, Size);
  Canvas canvas(2 * Size + Gap, Size);
  draw_scene(canvas, before, view, 0);
  draw_scene(canvas, after, view, Size + Gap);
  return canvas.take();
}

}  // namespace thallo::bundle_adjustment
