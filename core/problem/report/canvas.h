// A white picture on which dots and lines are drawn with smooth edges. Reports use it to plot
// graphs, trajectories and point clouds.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/io/image.h"

namespace thallo {

using Rgb = std::array<std::uint8_t, 3>;

struct Stroke {
  Rgb color{};
  double width = 1;  // pixels; for a dot, its diameter
  double opacity = 1;
};

// Returns the color at t, 0 to 1, of a scale whose colors are equally far apart.
Rgb color_on(std::span<const Rgb> scale, double t);

class Canvas {
 public:
  Canvas(int width, int height);

  int width() const { return image_.width; }
  int height() const { return image_.height; }
  // Restricts drawing to columns left <= x < right and rows top <= y < bottom.
  void clip(int left, int right) { clip(left, right, 0, image_.height); }
  void clip(int left, int right, int top, int bottom);

  // Pixel centers are integers; (0, 0) is the top left pixel. Positions that are not finite are not
  // drawn.
  void dot(std::array<double, 2> at, const Stroke& stroke);
  void line(std::array<double, 2> from, std::array<double, 2> to, const Stroke& stroke);
  // Pastes an RGB image with its left column at `left`.
  void paste(const Image& image, int left);

  Image take() { return std::move(image_); }

 private:
  Image image_;
  int left_, right_, top_, bottom_;
};

}  // namespace thallo
