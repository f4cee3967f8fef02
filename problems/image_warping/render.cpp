#include "problems/image_warping/render.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/stop_scope.h"
#include "core/problem/report/canvas.h"

namespace thallo::image_warping {
namespace {

using Color = std::array<float, 3>;

struct Vertex {
  double x, y;
  Color color;
};

// Samples on a grid finer than the pixels; a sample is the color of the last triangle over it.
class SampleGrid {
 public:
  static constexpr int SamplesPerAxis = 3;

  SampleGrid(int width, int height)
      : width_(width * SamplesPerAxis),
        height_(height * SamplesPerAxis),
        colors_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)),
        covered_(colors_.size(), 0) {}

  // Takes triangles of both windings. A sample on an edge belongs to both neighbors, so there are
  // no cracks.
  void fill(const Vertex& a, const Vertex& b, const Vertex& c) {
    const double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (area == 0 || !std::isfinite(area)) return;
    const auto [x0, x1] = range(std::min({a.x, b.x, c.x}), std::max({a.x, b.x, c.x}), width_);
    const auto [y0, y1] = range(std::min({a.y, b.y, c.y}), std::max({a.y, b.y, c.y}), height_);
    for (int j = y0; j <= y1; ++j) {
      for (int i = x0; i <= x1; ++i) {
        const double x = place(i);
        const double y = place(j);
        const double u = ((x - a.x) * (c.y - a.y) - (y - a.y) * (c.x - a.x)) / area;
        const double v = ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)) / area;
        if (u < 0 || v < 0 || u + v > 1) continue;
        const std::size_t at = index(i, j);
        for (std::size_t k = 0; k < 3; ++k) {
          colors_[at][k] = static_cast<float>((1 - u - v) * static_cast<double>(a.color[k]) +
                                              u * static_cast<double>(b.color[k]) +
                                              v * static_cast<double>(c.color[k]));
        }
        covered_[at] = 1;
      }
    }
  }

  // The mean of a pixel's samples, `background` where nothing was drawn.
  Color pixel(int x, int y, const Color& background) const {
    Color sum{};
    for (int j = 0; j < SamplesPerAxis; ++j) {
      for (int i = 0; i < SamplesPerAxis; ++i) {
        const std::size_t at = index(x * SamplesPerAxis + i, y * SamplesPerAxis + j);
        const Color& color = covered_[at] ? colors_[at] : background;
        for (std::size_t k = 0; k < 3; ++k) sum[k] += color[k];
      }
    }
    for (float& channel : sum) channel /= SamplesPerAxis * SamplesPerAxis;
    return sum;
  }

 private:
  // Pixel x has its center at x; its samples lie around it.
  static double place(int sample) { return (sample + 0.5) / SamplesPerAxis - 0.5; }
  static std::array<int, 2> range(double low, double high, int count) {
    const double first = std::ceil((low + 0.5) * SamplesPerAxis - 0.5);
    const double last = std::floor((high + 0.5) * SamplesPerAxis - 0.5);
    return {static_cast<int>(std::clamp(first, 0.0, static_cast<double>(count))),
            static_cast<int>(std::clamp(last, -1.0, static_cast<double>(count - 1)))};
  }
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(i);
  }

  int width_;
  int height_;
  std::vector<Color> colors_;
  std::vector<std::uint8_t> covered_;
};

Color color_of(const Image& picture, int x, int y) {
  return {picture.at(x, y, 0), picture.at(x, y, 1), picture.at(x, y, 2)};
}

// Pixels that show what is behind the moving part: inactive, and not so near to it that its smooth
// outline is mixed into them.
std::vector<std::uint8_t> find_background(const WarpInput& input) {
  constexpr int Outline = 2;  // pixels
  std::vector<std::uint8_t> background(input.mask.size(), 1);
  for (int y = 0; y < input.height(); ++y) {
    for (int x = 0; x < input.width(); ++x) {
      if (!input.active(x, y)) continue;
      for (int v = std::max(0, y - Outline); v <= std::min(input.height() - 1, y + Outline); ++v) {
        for (int u = std::max(0, x - Outline); u <= std::min(input.width() - 1, x + Outline); ++u) {
          background[input.picture.index(u, v) / 3] = 0;
        }
      }
    }
  }
  return background;
}

// White when there is no background.
Color mean_color(const WarpInput& input, const std::vector<std::uint8_t>& background) {
  std::array<double, 3> sum{};
  double count = 0;
  for (std::size_t i = 0; i < background.size(); ++i) {
    if (!background[i]) continue;
    for (std::size_t c = 0; c < 3; ++c) {
      sum[c] += static_cast<double>(input.picture.data[3 * i + c]);
    }
    ++count;
  }
  if (count == 0) return {1, 1, 1};
  return {static_cast<float>(sum[0] / count), static_cast<float>(sum[1] / count),
          static_cast<float>(sum[2] / count)};
}

}  // namespace

Image render_warp(const WarpInput& input, const std::vector<double>& offsets) {
  THALLO_ASSERT_EQ(offsets.size(), input.mask.size() * 2);
  const int width = input.width();
  const int height = input.height();
  SampleGrid samples(width, height);
  auto vertex = [&](int x, int y) {
    const std::size_t at = input.picture.index(x, y) / 3 * 2;
    return Vertex{offsets[at], offsets[at + 1], color_of(input.picture, x, y)};
  };
  for (int y = 0; y + 1 < height; ++y) {
    check_stop();
    for (int x = 0; x + 1 < width; ++x) {
      if (!input.active(x, y) || !input.active(x + 1, y) || !input.active(x, y + 1) ||
          !input.active(x + 1, y + 1)) {
        continue;
      }
      samples.fill(vertex(x, y), vertex(x + 1, y), vertex(x, y + 1));
      samples.fill(vertex(x + 1, y + 1), vertex(x + 1, y), vertex(x, y + 1));
    }
  }
  const std::vector<std::uint8_t> background = find_background(input);
  const Color vacated = mean_color(input, background);
  Image result(width, height, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool shown = background[input.picture.index(x, y) / 3] != 0;
      const Color behind = shown ? color_of(input.picture, x, y) : vacated;
      const Color color = samples.pixel(x, y, behind);
      for (int c = 0; c < 3; ++c) result.at(x, y, c) = color[static_cast<std::size_t>(c)];
    }
  }
  return result;
}

Image draw_handles(const Image& picture, const std::vector<Handle>& handles) {
  constexpr Rgb Goal = {217, 13, 115};
  constexpr Rgb Way = {51, 51, 51};
  const double width = std::max(2.0, picture.width / 55.0);
  Canvas canvas(picture.width, picture.height);
  canvas.paste(picture, 0);
  for (const auto& [pixel, target] : handles) {
    const std::array<double, 2> goal = {double(target[0]), double(target[1])};
    canvas.line({double(pixel[0]), double(pixel[1])}, goal, {Way, 0.3 * width});
    canvas.dot(goal, {Goal, width});
  }
  return canvas.take();
}

}  // namespace thallo::image_warping
