#include "problems/deconvolution/skyline.h"

#include <cmath>
#include <cstdint>

#include "core/base/random.h"

namespace thallo::deconvolution {
namespace {

// Pictures are functions of a place: x right, 0 to 4/3, y down, 0 to 1.
constexpr double Shore = 0.80;

// A random number in [0, 1) that is always the same for a and b.
double lot(int a, int b) {
  constexpr int Primes[] = {7919, 104729};
  return Random(static_cast<std::uint64_t>(std::int64_t{a} * Primes[0] + b) ^
                static_cast<std::uint64_t>(Primes[1]))
      .uniform();
}

double house(double x, double y, double width, double lowest, double highest, double wall) {
  const double column = std::floor(x / width);
  const auto number = static_cast<int>(column);
  const double roof = Shore - lowest - (highest - lowest) * lot(number, 1);
  const double within = x / width - column;
  if (y < roof || within < 0.04) return -1;
  const double window = width / 5;
  const double u = (within * width) / window;
  const double v = (y - roof) / window;
  const bool is_pane = u - std::floor(u) > 0.45 && v - std::floor(v) > 0.5 && u < 4.9 && v > 0.8;
  const double lit = lot(17 * number + static_cast<int>(u), static_cast<int>(v));
  if (is_pane && y < Shore - 0.02 && lit < 0.6) return lit < 0.3 ? 0.95 : 0.65;
  return wall + 0.05 * lot(number, 2);
}

double above_water(double x, double y) {
  if (const double near = house(x, y, 0.16, 0.06, 0.34, 0.10); near >= 0) return near;
  if (const double far = house(x + 0.05, y, 0.11, 0.24, 0.52, 0.20); far >= 0) return far;
  if (std::hypot(x - 1.02, y - 0.2) < 0.11 && std::hypot(x - 0.97, y - 0.17) > 0.1) return 0.98;
  const double sky = y < 0.3 ? 0.30 : 0.36;
  // Stars.
  const int column = static_cast<int>(std::floor(x * 12));
  const int row = static_cast<int>(std::floor(y * 12));
  const double at_x = (column + 0.2 + 0.6 * lot(column, 40 + row)) / 12;
  const double at_y = (row + 0.2 + 0.6 * lot(column, 80 + row)) / 12;
  return lot(column, 120 + row) < 0.4 && std::hypot(x - at_x, y - at_y) < 0.009 ? 0.9 : sky;
}

double night(double x, double y) {
  if (y < Shore) return above_water(x, y);
  if (y < Shore + 0.015) return 0.5;
  // Rows of waves mirror what is above, shifted a little and darker.
  const double wave = 0.012 * (static_cast<int>((y - Shore) * 60) % 2 == 0 ? 1 : -1);
  return 0.6 * above_water(x + wave, 2 * Shore - y);
}

}  // namespace

Image draw_skyline(int height, int border) {
  constexpr int SamplesPerAxis = 3;
  Image image(height * 4 / 3 + 2 * border, height + 2 * border, 1);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      double sum = 0;
      for (int s = 0; s < SamplesPerAxis * SamplesPerAxis; ++s) {
        sum += night((x - border + (s % SamplesPerAxis + 0.5) / SamplesPerAxis) / height,
                     (y - border + (s / SamplesPerAxis + 0.5) / SamplesPerAxis) / height);
      }
      image.at(x, y) = static_cast<float>(sum / (SamplesPerAxis * SamplesPerAxis));
    }
  }
  return image;
}

}  // namespace thallo::deconvolution
