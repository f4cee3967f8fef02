#include "problems/intrinsic_image_decomposition/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace thallo::intrinsic_image_decomposition {
namespace {

using Color = std::array<double, 3>;

// A sheet of paper in the unit square (x right, y down), turned by `angle` about its center.
struct Paper {
  double x, y;           // center
  double width, height;  // half of each; of a disk both are the radius
  double angle;          // radians
  bool is_disk;
  Color color;
};
constexpr Paper Papers[] = {
    {0.24, 0.26, 0.16, 0.12, 0.25, false, {0.85, 0.35, 0.30}},
    {0.70, 0.22, 0.20, 0.11, -0.20, false, {0.30, 0.50, 0.80}},
    {0.52, 0.52, 0.19, 0.19, 0.0, true, {0.80, 0.65, 0.20}},
    {0.20, 0.70, 0.12, 0.18, -0.35, false, {0.30, 0.65, 0.40}},
    {0.78, 0.66, 0.15, 0.15, 0.0, true, {0.60, 0.38, 0.70}},
    {0.52, 0.84, 0.20, 0.08, 0.10, false, {0.85, 0.50, 0.25}},
    {0.46, 0.46, 0.07, 0.07, 0.60, false, {0.25, 0.60, 0.65}},
    {0.80, 0.70, 0.06, 0.06, 0.0, true, {0.80, 0.45, 0.60}},
};
constexpr Color Wall = {0.60, 0.58, 0.52};

bool covers(const Paper& paper, double x, double y) {
  const double dx = x - paper.x;
  const double dy = y - paper.y;
  const double u = (std::cos(paper.angle) * dx + std::sin(paper.angle) * dy) / paper.width;
  const double v = (std::cos(paper.angle) * dy - std::sin(paper.angle) * dx) / paper.height;
  return paper.is_disk ? u * u + v * v < 1 : std::max(std::abs(u), std::abs(v)) < 1;
}

Color color_at(double x, double y) {
  Color color = Wall;
  for (const Paper& paper : Papers) {
    if (covers(paper, x, y)) color = paper.color;
  }
  return color;
}

// A lamp at the upper left, and the soft shadow of something before the wall.
double light_at(double x, double y) {
  const double lamp = 1 / (1 + 1.6 * (std::pow(x - 0.2, 2) + std::pow(y - 0.1, 2)));
  const double across = (x - 0.62) * 0.8 + (y - 0.5) * 0.6;
  return lamp * (1 - 0.45 * std::exp(-across * across / 0.018));
}

}  // namespace

DecompositionInput draw_papers(int size) {
  constexpr int SamplesPerAxis = 3;
  DecompositionInput input;
  Decomposition truth{Image(size, size, 3), Image(size, size, 1)};
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      for (int s = 0; s < SamplesPerAxis * SamplesPerAxis; ++s) {
        const Color color = color_at((x + (s % SamplesPerAxis + 0.5) / SamplesPerAxis) / size,
                                     (y + (s / SamplesPerAxis + 0.5) / SamplesPerAxis) / size);
        for (int c = 0; c < 3; ++c) {
          truth.albedo.at(x, y, c) += static_cast<float>(color[static_cast<std::size_t>(c)] /
                                                         (SamplesPerAxis * SamplesPerAxis));
        }
      }
      truth.shading.at(x, y) = static_cast<float>(light_at((x + 0.5) / size, (y + 0.5) / size));
    }
  }
  input.picture = truth.albedo;
  for (std::size_t k = 0; k < input.picture.data.size(); ++k) {
    input.picture.data[k] *= truth.shading.data[k / 3];
  }
  input.truth = std::move(truth);
  return input;
}

}  // namespace thallo::intrinsic_image_decomposition
