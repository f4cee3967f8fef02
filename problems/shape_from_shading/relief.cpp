#include "problems/shape_from_shading/relief.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <vector>

#include "problems/shape_from_shading/surface.h"

namespace thallo::shape_from_shading {
namespace {

constexpr double Missing = -std::numeric_limits<double>::infinity();

// The height in meters at (u, v), v down; the shield is the unit disk, and nothing is beyond it.
double relief_at(double u, double v) {
  const double radius = std::hypot(u, v);
  if (radius > 1) return Missing;
  const double dome = 0.10 * (1 - radius * radius);
  // Eight petals around a button, and a ring of beads.
  const double angle = std::atan2(v, u);
  const double petal = 0.55 * (0.72 + 0.28 * std::cos(8 * angle));
  const double leaf = 0.010 / (1 + std::exp((radius - petal) / 0.03));
  const double vein = 0.0022 * std::cos(40 * radius) * std::exp(-std::pow(radius / 0.4, 4));
  const double button = 0.012 * std::exp(-std::pow(radius / 0.13, 4));
  const double ring = std::exp(-std::pow((radius - 0.78) / 0.06, 2));
  const double beads = 0.007 * ring * (0.5 + 0.5 * std::cos(24 * angle));
  return dome + leaf + vein + button + beads;
}

// The mean of the depths that are there, in a square window weighted as a Gaussian: a pass along
// the rows, and one along the columns.
Image blurred(const Image& depth, double sigma) {
  const int reach = static_cast<int>(std::ceil(2.5 * sigma));
  std::vector<double> gaussian;
  for (int i = 0; i <= reach; ++i) gaussian.push_back(std::exp(-i * i / (2 * sigma * sigma)));
  struct Sum {
    double depths = 0, weights = 0;
  };
  const auto width = static_cast<std::size_t>(depth.width);
  std::vector<Sum> rows(width * static_cast<std::size_t>(depth.height));
  for (int y = 0; y < depth.height; ++y) {
    Sum* const row = rows.data() + static_cast<std::size_t>(y) * width;
    for (int u = 0; u < depth.width; ++u) {
      if (!(depth.at(u, y) > 0)) continue;
      for (int x = std::max(0, u - reach); x <= std::min(depth.width - 1, u + reach); ++x) {
        row[x].depths += gaussian[std::abs(u - x)] * static_cast<double>(depth.at(u, y));
        row[x].weights += gaussian[std::abs(u - x)];
      }
    }
  }
  Image result = depth;
  std::vector<Sum> sums(width);
  for (int y = 0; y < depth.height; ++y) {
    std::ranges::fill(sums, Sum());
    for (int v = std::max(0, y - reach); v <= std::min(depth.height - 1, y + reach); ++v) {
      const double weight = gaussian[std::abs(v - y)];
      const Sum* const row = rows.data() + static_cast<std::size_t>(v) * width;
      for (std::size_t x = 0; x < width; ++x) {
        sums[x].depths += weight * row[x].depths;
        sums[x].weights += weight * row[x].weights;
      }
    }
    for (int x = 0; x < depth.width; ++x) {
      if (depth.at(x, y) > 0)
        result.at(x, y) = static_cast<float>(sums[x].depths / sums[x].weights);
    }
  }
  return result;
}

// What the surface reflects. The rim at the left and the top has no normals and is as bright as
// what is beside it.
Image brightness_of(const DepthInput& input, const Image& depth) {
  Image brightness(depth.width, depth.height, 1);
  for (int y = depth.height - 1; y >= 0; --y) {
    for (int x = depth.width - 1; x >= 0; --x) {
      if (!input.measured(x, y)) continue;
      if (input.measured(x - 1, y) && input.measured(x, y - 1)) {
        brightness.at(x, y) =
            static_cast<float>(reflected(input.light, normal_at(input.camera, depth, x, y)));
      } else if (input.measured(x + 1, y)) {
        brightness.at(x, y) = brightness.at(x + 1, y);
      } else if (input.measured(x, y + 1)) {
        brightness.at(x, y) = brightness.at(x, y + 1);
      }
    }
  }
  return brightness;
}

}  // namespace

DepthInput make_relief(int size) {
  constexpr double Distance = 1.0;  // meters, of the shield's rim
  DepthInput input;
  input.camera = {{1.2 * size, 1.2 * size}, {0.5 * size, 0.5 * size}};
  input.light = {0.62, -0.22, -0.20, -0.25, 0.02, 0.06, 0.02, 0.05, 0.01};
  Image truth(size, size, 1);
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const double u = (x + 0.5) / size * 2 - 1;
      const double v = (y + 0.5) / size * 2 - 1;
      truth.at(x, y) = static_cast<float>(Distance - relief_at(u / 0.94, v / 0.94));
      if (!std::isfinite(truth.at(x, y))) truth.at(x, y) = static_cast<float>(Missing);
    }
  }
  input.depth = blurred(truth, size / 40.0);
  input.start = input.depth;
  input.brightness = brightness_of(input, truth);
  compare_all(input);
  input.truth = std::move(truth);
  return input;
}

}  // namespace thallo::shape_from_shading
