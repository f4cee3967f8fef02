#include "core/problem/report/canvas.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace thallo {

Rgb color_on(std::span<const Rgb> scale, double t) {
  const double place = t * static_cast<double>(scale.size() - 1);
  const auto k = std::min(static_cast<std::size_t>(place), scale.size() - 2);
  Rgb color{};
  for (std::size_t c = 0; c < 3; ++c) {
    color[c] = static_cast<std::uint8_t>(
        std::lerp(scale[k][c], scale[k + 1][c], place - static_cast<double>(k)));
  }
  return color;
}

Canvas::Canvas(int width, int height) : image_(width, height, 3) {
  std::ranges::fill(image_.data, 1.0f);
  clip(0, width);
}

void Canvas::clip(int left, int right, int top, int bottom) {
  left_ = std::max(left, 0);
  right_ = std::min(right, image_.width);
  top_ = std::max(top, 0);
  bottom_ = std::min(bottom, image_.height);
}

void Canvas::dot(std::array<double, 2> at, const Stroke& stroke) { line(at, at, stroke); }

// A line covers a pixel by the amount that half its width exceeds the pixel's distance from it.
void Canvas::line(std::array<double, 2> from, std::array<double, 2> to, const Stroke& stroke) {
  for (const double coordinate : {from[0], from[1], to[0], to[1]}) {
    if (!std::isfinite(coordinate)) return;
  }
  const double radius = stroke.width / 2;
  const double reach = radius + 1;
  const std::array<double, 2> along = {to[0] - from[0], to[1] - from[1]};
  const double square = along[0] * along[0] + along[1] * along[1];
  // Draws a line in strips of rows, so that a slanted line does not visit its whole bounding box.
  const auto first_within = [](double low, double limit) {
    return static_cast<int>(std::clamp(std::floor(low), 0.0, limit));
  };
  const auto last_within = [](double high, double limit) {
    return static_cast<int>(std::clamp(std::ceil(high), -1.0, limit - 1));
  };
  const int first_row = std::max(top_, first_within(std::min(from[1], to[1]) - reach, bottom_));
  const int last_row = last_within(std::max(from[1], to[1]) + reach, bottom_);
  for (int y = first_row; y <= last_row; ++y) {
    double low = std::min(from[0], to[0]);
    double high = std::max(from[0], to[0]);
    if (std::abs(along[1]) > 1e-9) {
      // Finds the segment that is near enough to this row to reach it.
      const double s = std::clamp((y - reach - from[1]) / along[1], 0.0, 1.0);
      const double t = std::clamp((y + reach - from[1]) / along[1], 0.0, 1.0);
      low = from[0] + std::min(s * along[0], t * along[0]);
      high = from[0] + std::max(s * along[0], t * along[0]);
    }
    const int first = std::max(left_, first_within(low - reach, right_));
    const int last = last_within(high + reach, right_);
    for (int x = first; x <= last; ++x) {
      const double dot = (x - from[0]) * along[0] + (y - from[1]) * along[1];
      const double t = square > 0 ? std::clamp(dot / square, 0.0, 1.0) : 0.0;
      const double distance = std::hypot(x - from[0] - t * along[0], y - from[1] - t * along[1]);
      const double cover = stroke.opacity * std::clamp(radius + 0.5 - distance, 0.0, 1.0);
      for (int c = 0; c < 3; ++c) {
        float& channel = image_.at(x, y, c);
        const auto ink = static_cast<float>(stroke.color[static_cast<std::size_t>(c)]) / 255.0f;
        channel += static_cast<float>(cover) * (ink - channel);
      }
    }
  }
}

void Canvas::paste(const Image& image, int left) {
  for (int y = 0; y < std::min(image.height, image_.height); ++y) {
    for (int x = 0; x < image.width; ++x) {
      for (int c = 0; c < 3; ++c) image_.at(left + x, y, c) = image.at(x, y, c);
    }
  }
}

}  // namespace thallo
