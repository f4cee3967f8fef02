#include "problems/bundle_fusion/fusion_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "core/problem/report/canvas.h"

namespace thallo::bundle_fusion {
namespace {

constexpr int PanelWidth = 460;
constexpr int Gap = 8;

// Blue, green, orange along the video.
Rgb color_of_frame(std::size_t frame, std::size_t count) {
  constexpr Rgb Scale[] = {{40, 80, 190}, {30, 150, 120}, {230, 120, 30}};
  return color_on(Scale,
                  static_cast<double>(frame) / std::max(1.0, static_cast<double>(count) - 1));
}

// The cloud as the first camera would see it from half a meter behind its place; far points are
// drawn first.
Image draw_cloud(const DepthVideo& video, const Mesh& cloud) {
  constexpr double Behind = 0.5;
  const int height = PanelWidth * video.height() / video.width();
  const double scale = static_cast<double>(PanelWidth) / video.width();
  std::vector<std::size_t> order(cloud.positions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return cloud.positions[a][2] > cloud.positions[b][2];
  });
  Canvas canvas(PanelWidth, height);
  for (const std::size_t i : order) {
    const auto& p = cloud.positions[i];
    const Vector3 point = {p[0], p[1], static_cast<double>(p[2]) + Behind};
    if (point[2] < 0.3) continue;
    const auto [x, y] = video.camera.pixel(point);
    canvas.dot({(x + 0.5) * scale, (y + 0.5) * scale},
               {cloud.color_bytes(i), std::max(1.4, 0.45 * scale), 0.7});
  }
  return canvas.take();
}

// A square of the plane that the slices of both panels are seen in: x to the right, z up.
struct Window {
  double left, bottom, size;
};

constexpr double SliceHeight = 0.06;  // meters, to both sides

// The points of a slice, one list for each frame.
std::vector<std::vector<Vector3>> slice_of(const DepthVideo& video,
                                           std::span<const RigidMotion> poses) {
  std::vector<std::vector<Vector3>> slice(poses.size());
  for (std::size_t f = 0; f < poses.size(); ++f) {
    const Image points = points_of(video, static_cast<int>(f));
    for (std::size_t i = 0; i < points.data.size(); i += 3) {
      if (!std::isfinite(points.data[i])) continue;
      const Vector3 at = poses[f].move({points.data[i], points.data[i + 1], points.data[i + 2]});
      if (std::abs(at[1]) < SliceHeight) slice[f].push_back(at);
    }
  }
  return slice;
}

// A window on what the cameras see from their reference poses, without the farthest fiftieth to
// each side.
Window window_of(const DepthVideo& video, std::span<const RigidMotion> truth) {
  std::array<std::vector<double>, 2> places;
  for (const auto& points : slice_of(video, truth)) {
    for (const Vector3& p : points) {
      places[0].push_back(p[0]);
      places[1].push_back(p[2]);
    }
  }
  for (const RigidMotion& pose : truth) {
    places[0].push_back(pose.translation[0]);
    places[1].push_back(pose.translation[2]);
  }
  std::array<double, 2> low{};
  std::array<double, 2> high{};
  for (std::size_t k = 0; k < 2; ++k) {
    std::ranges::sort(places[k]);
    const std::size_t cut = places[k].size() / 50;
    low[k] = places[k][cut];
    high[k] = places[k][places[k].size() - 1 - cut];
  }
  for (const RigidMotion& pose : truth) low[1] = std::min(low[1], pose.translation[2]);
  const double size = 1.08 * std::max({high[0] - low[0], high[1] - low[1], 0.1});
  return {(low[0] + high[0] - size) / 2, (low[1] + high[1] - size) / 2, size};
}

Image draw_slice(const DepthVideo& video, std::span<const RigidMotion> poses,
                 std::span<const RigidMotion> truth, const Window& window) {
  constexpr double DotWidth = 2.2;
  constexpr Rgb Gray = {150, 150, 150};
  Canvas canvas(PanelWidth, PanelWidth);
  const auto place = [&window](const Vector3& p) -> std::array<double, 2> {
    const double scale = PanelWidth / window.size;
    return {(p[0] - window.left) * scale, PanelWidth - (p[2] - window.bottom) * scale};
  };
  const auto slice = slice_of(video, poses);
  for (std::size_t f = 0; f < poses.size(); ++f) {
    const Rgb color = color_of_frame(f, poses.size());
    for (const Vector3& p : slice[f]) canvas.dot(place(p), {color, DotWidth, 0.6});
  }
  for (std::size_t f = 1; f < poses.size(); ++f) {
    canvas.line(place(truth[f - 1].translation), place(truth[f].translation), {Gray, 5, 0.6});
  }
  for (std::size_t f = 0; f < poses.size(); ++f) {
    const Rgb color = color_of_frame(f, poses.size());
    const auto at = place(poses[f].translation);
    if (f > 0) canvas.line(place(poses[f - 1].translation), at, {color, 1.3, 0.9});
    canvas.dot(at, {color, 6, 1});
  }
  return canvas.take();
}

// Two rows of two pictures, all of one width, as one picture.
Image stacked(const std::array<std::array<Image, 2>, 2>& rows) {
  const int height = rows[0][0].height + Gap + rows[1][0].height;
  Image all(2 * PanelWidth + Gap, height, 3);
  std::ranges::fill(all.data, 1.0f);
  int top = 0;
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < 2; ++column) {
      const Image& panel = row[column];
      for (int y = 0; y < panel.height; ++y) {
        const auto begin = panel.data.begin() + static_cast<std::ptrdiff_t>(panel.index(0, y));
        const int left = static_cast<int>(column) * (PanelWidth + Gap);
        std::copy_n(begin, 3 * panel.width,
                    all.data.begin() + static_cast<std::ptrdiff_t>(all.index(left, top + y)));
      }
    }
    top += row[0].height + Gap;
  }
  return all;
}

}  // namespace

PoseError compare_poses(std::span<const RigidMotion> poses, std::span<const RigidMotion> truth) {
  double angles = 0;
  double distances = 0;
  for (std::size_t f = 1; f < poses.size(); ++f) {
    const Vector3 turn = logarithm(inverse(truth[f]) * poses[f]).rotation;
    const Vector3 shift = poses[f].translation - truth[f].translation;
    angles += dot(turn, turn);
    distances += dot(shift, shift);
  }
  const double count = std::max(1.0, static_cast<double>(poses.size()) - 1);
  return {std::sqrt(angles / count) * 180 / std::numbers::pi, 1000 * std::sqrt(distances / count)};
}

Mesh fuse(const DepthVideo& video, std::span<const RigidMotion> poses) {
  constexpr Rgb Gray = {160, 160, 160};
  Mesh cloud;
  for (std::size_t f = 0; f < poses.size(); ++f) {
    const Image points = points_of(video, static_cast<int>(f));
    const Image& color = video.frames[f].color;
    for (std::size_t i = 0; i < points.data.size(); i += 3) {
      if (!std::isfinite(points.data[i])) continue;
      cloud.positions.push_back(
          poses[f].move({points.data[i], points.data[i + 1], points.data[i + 2]}));
      Rgb seen = Gray;
      for (std::size_t c = 0; c < 3 && !color.data.empty(); ++c) {
        seen[c] = static_cast<std::uint8_t>(std::lround(255 * color.data[i + c]));
      }
      cloud.add_color(seen);
    }
  }
  return cloud;
}

Image draw_fusion(const DepthVideo& video, std::span<const RigidMotion> before,
                  std::span<const RigidMotion> after) {
  std::vector<RigidMotion> truth;
  for (const DepthFrame& frame : video.frames) truth.push_back(frame.pose);
  const Window window = window_of(video, truth);
  std::array<std::array<Image, 2>, 2> rows;
  for (std::size_t column = 0; column < 2; ++column) {
    const auto poses = column == 0 ? before : after;
    rows[0][column] = draw_cloud(video, fuse(video, poses));
    rows[1][column] = draw_slice(video, poses, truth, window);
  }
  return stacked(rows);
}

}  // namespace thallo::bundle_fusion
