#include "problems/bundle_fusion/depth_video.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace thallo::bundle_fusion {
namespace {

constexpr float Missing = -std::numeric_limits<float>::infinity();

Vector3 texel(const Image& image, int x, int y) {
  return {image.at(x, y, 0), image.at(x, y, 1), image.at(x, y, 2)};
}

void set_texel(Image& image, int x, int y, const Vector3& value) {
  for (int c = 0; c < 3; ++c) {
    image.at(x, y, c) = static_cast<float>(value[static_cast<std::size_t>(c)]);
  }
}

Image missing_image(int width, int height) {
  Image image(width, height, 3);
  std::ranges::fill(image.data, Missing);
  return image;
}

// The pixels [first, last) of `size` that pixel i of `count` stands for.
std::array<int, 2> block_of(int i, int count, int size) {
  const auto edge = [&](int k) {
    return static_cast<int>(static_cast<std::int64_t>(k) * size / count);
  };
  return {edge(i), std::max(edge(i) + 1, edge(i + 1))};
}

Image reduced_depth(const Image& depth, int width, int height) {
  Image small(width, height, 1);
  std::vector<float> found;
  for (int y = 0; y < height; ++y) {
    const auto [top, bottom] = block_of(y, height, depth.height);
    for (int x = 0; x < width; ++x) {
      const auto [left, right] = block_of(x, width, depth.width);
      found.clear();
      for (int v = top; v < bottom; ++v) {
        for (int u = left; u < right; ++u) {
          if (depth.at(u, v) > 0) found.push_back(depth.at(u, v));
        }
      }
      const auto all = static_cast<std::size_t>((bottom - top) * (right - left));
      if (found.empty() || 2 * found.size() < all) {
        small.at(x, y) = Missing;
        continue;
      }
      const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
      std::nth_element(found.begin(), middle, found.end());
      small.at(x, y) = *middle;
    }
  }
  return small;
}

// The mean of each block.
Image reduced_color(const Image& color, int width, int height) {
  if (color.data.empty()) return {};
  Image small(width, height, 3);
  for (int y = 0; y < height; ++y) {
    const auto [top, bottom] = block_of(y, height, color.height);
    for (int x = 0; x < width; ++x) {
      const auto [left, right] = block_of(x, width, color.width);
      Vector3 sum{};
      for (int v = top; v < bottom; ++v) {
        for (int u = left; u < right; ++u) sum = sum + texel(color, u, v);
      }
      set_texel(small, x, y, 1.0 / ((bottom - top) * (right - left)) * sum);
    }
  }
  return small;
}

}  // namespace

Vector3 Intrinsics::point(double x, double y, double depth) const {
  return {(x - principal_point[0]) / focal_length[0] * depth,
          (y - principal_point[1]) / focal_length[1] * depth, depth};
}

std::array<double, 2> Intrinsics::pixel(const Vector3& point) const {
  return {focal_length[0] * point[0] / point[2] + principal_point[0],
          focal_length[1] * point[1] / point[2] + principal_point[1]};
}

DepthVideo reduced(const DepthVideo& video, int width) {
  const double scale = static_cast<double>(width) / video.width();
  const int height = std::max(1, static_cast<int>(std::lround(video.height() * scale)));
  const std::array<double, 2> scales = {scale, static_cast<double>(height) / video.height()};
  DepthVideo small;
  for (std::size_t k = 0; k < 2; ++k) {
    small.camera.focal_length[k] = video.camera.focal_length[k] * scales[k];
    // The centers of pixels are whole numbers, so the picture begins at -1/2.
    small.camera.principal_point[k] = (video.camera.principal_point[k] + 0.5) * scales[k] - 0.5;
  }
  for (const DepthFrame& frame : video.frames) {
    small.frames.push_back({reduced_depth(frame.depth, width, height),
                            reduced_color(frame.color, width, height), frame.pose});
  }
  return small;
}

Image points_of(const DepthVideo& video, int frame) {
  const Image& depth = video.frames[static_cast<std::size_t>(frame)].depth;
  Image points = missing_image(depth.width, depth.height);
  for (int y = 0; y < depth.height; ++y) {
    for (int x = 0; x < depth.width; ++x) {
      if (depth.at(x, y) > 0) set_texel(points, x, y, video.camera.point(x, y, depth.at(x, y)));
    }
  }
  return points;
}

Image normals_of(const Image& points) {
  Image normals = missing_image(points.width, points.height);
  const auto is_there = [&points](int x, int y) { return points.at(x, y) != Missing; };
  for (int y = 1; y + 1 < points.height; ++y) {
    for (int x = 1; x + 1 < points.width; ++x) {
      if (!(is_there(x, y) && is_there(x - 1, y) && is_there(x + 1, y) && is_there(x, y - 1) &&
            is_there(x, y + 1))) {
        continue;
      }
      const Vector3 normal = cross(texel(points, x, y + 1) - texel(points, x, y - 1),
                                   texel(points, x + 1, y) - texel(points, x - 1, y));
      const double size = length(normal);
      if (size > 0) set_texel(normals, x, y, (1 / size) * normal);
    }
  }
  return normals;
}

Vector3 sample(const Image& image, double x, double y) {
  constexpr double Nothing = Missing;
  Vector3 sum{};
  double weights = 0;
  if (x > -1 && x < image.width && y > -1 && y < image.height) {
    const int left = static_cast<int>(std::floor(x));
    const int top = static_cast<int>(std::floor(y));
    for (const int row : {top, top + 1}) {
      const double row_weight = 1 - std::abs(y - row);
      if (row < 0 || row >= image.height || row_weight == 0) continue;
      Vector3 row_sum{};
      double row_weights = 0;
      for (const int column : {left, left + 1}) {
        const double weight = 1 - std::abs(x - column);
        if (column < 0 || column >= image.width || weight == 0) continue;
        if (image.at(column, row) == Missing) continue;
        row_sum = row_sum + weight * texel(image, column, row);
        row_weights += weight;
      }
      if (row_weights == 0) continue;
      sum = sum + row_weight / row_weights * row_sum;
      weights += row_weight;
    }
  }
  if (weights == 0) return {Nothing, Nothing, Nothing};
  return 1 / weights * sum;
}

}  // namespace thallo::bundle_fusion
