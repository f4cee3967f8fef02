#include "problems/poisson_image_editing/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace thallo::poisson_image_editing {
namespace {

using Color = std::array<double, 3>;

// Pictures are functions of a place: x right, 0 to 4/3, y down, 0 to 1.
struct Place {
  double x, y;
};

Color mix(const Color& a, const Color& b, double t) {
  t = std::clamp(t, 0.0, 1.0);
  return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
}

double bump(Place p, Place center, Place radii) {
  const double x = (p.x - center.x) / radii.x;
  const double y = (p.y - center.y) / radii.y;
  return std::exp(-x * x - y * y);
}

// Evening: sky, its low sun, two ridges, and the lake that mirrors them.
constexpr double Shore = 0.72;
constexpr Place Sun = {0.25, 0.60};

Color dusk_sky(Place p) {
  constexpr Color Zenith = {0.20, 0.24, 0.44};
  constexpr Color Middle = {0.62, 0.44, 0.52};
  constexpr Color Horizon = {0.98, 0.66, 0.40};
  Color sky = p.y < 0.4 ? mix(Zenith, Middle, p.y / 0.4) : mix(Middle, Horizon, (p.y - 0.4) / 0.3);
  sky = mix(sky, {1.0, 0.86, 0.60}, 0.8 * bump(p, Sun, {0.30, 0.16}));
  // Streaks of cloud.
  const double streaks = std::sin(24 * p.y + 2.5 * std::sin(2.2 * p.x)) * std::sin(3 * p.x + 1);
  return mix(sky, {0.95, 0.62, 0.55}, 0.22 * std::max(0.0, streaks) * (1 - p.y));
}

Color dusk_land(Place p) {
  const double far = 0.60 + 0.035 * std::sin(5 * p.x) + 0.02 * std::sin(13 * p.x + 1);
  const double near = 0.68 - 0.07 * std::sin(2.6 * p.x + 3.4) + 0.012 * std::sin(21 * p.x);
  if (p.y > near) return {0.13, 0.12, 0.19};
  if (p.y > far) return {0.33, 0.27, 0.38};
  if (std::hypot(p.x - Sun.x, p.y - (Sun.y - 0.05)) < 0.035) return {1.0, 0.95, 0.80};
  return dusk_sky(p);
}

Color dusk(Place p) {
  if (p.y < Shore) return dusk_land(p);
  const double depth = (p.y - Shore) / (1 - Shore);
  const double wave = 0.012 * depth * std::sin(160 * std::sqrt(depth + 0.02) + 6 * p.x);
  const Color mirrored = dusk_land({p.x + wave, 2 * Shore - p.y + wave});
  return mix(mirrored, {0.12, 0.16, 0.28}, 0.25 + 0.35 * depth);
}

// Daylight: a balloon before a few clouds.
constexpr Place Center = {0.86, 0.235};
constexpr double Radius = 0.135;

// Half the width of the envelope at v radii below its center: a circle, then its tangents.
double half_width(double v) {
  constexpr double Tangent = 0.55;
  constexpr double Mouth = 1.40;
  if (v < -1 || v > Mouth) return 0;
  const double at_tangent = std::sqrt(1 - Tangent * Tangent);
  if (v < Tangent) return Radius * std::sqrt(1 - v * v);
  return Radius * (at_tangent - Tangent / at_tangent * (v - Tangent));
}

Color day_sky(Place p) {
  Color sky = mix({0.44, 0.64, 0.92}, {0.80, 0.88, 0.97}, p.y);
  for (const Place cloud : {Place{0.25, 0.25}, Place{0.38, 0.28}, Place{1.18, 0.68},
                            Place{1.08, 0.71}, Place{0.50, 0.62}}) {
    sky = mix(sky, {1, 1, 1}, 0.8 * bump(p, cloud, {0.12, 0.045}));
  }
  return sky;
}

Color day(Place p) {
  constexpr int Gores = 10;
  constexpr Color Stripes[] = {{0.88, 0.22, 0.18}, {0.98, 0.86, 0.46}};
  constexpr Color Basket = {0.50, 0.33, 0.20};
  const double across = p.x - Center.x;
  const double v = (p.y - Center.y) / Radius;
  if (const double width = half_width(v); std::abs(across) < width) {
    const double turn = std::asin(across / width);
    const auto gore = static_cast<std::size_t>((turn / 3.1416 + 0.5) * Gores);
    const double light = 1.05 - 0.35 * std::pow(across / width + 0.35, 2);
    return mix({0, 0, 0}, v > 1.30 ? Basket : Stripes[gore % 2], light);
  }
  if (std::abs(across) < 0.18 * Radius && v > 1.75 && v < 2.05) {
    return mix(Basket, {0.20, 0.12, 0.08}, v < 1.80 ? 1 : 0.4 * (std::sin(50 * v) > 0));
  }
  const double rope = Radius * (0.16 + 0.17 * (1.75 - v));
  if (v > 1.38 && v < 1.76 && std::abs(std::abs(across) - rope) < 0.0025) return {0.3, 0.25, 0.2};
  return day_sky(p);
}

bool around_balloon(Place p) {
  const double x = (p.x - Center.x) / 0.19;
  const double y = (p.y - (Center.y + 0.07)) / 0.245;
  return std::pow(std::abs(x), 2.5) + std::pow(std::abs(y), 2.5) < 1;
}

Image render(int width, int height, Color (*picture)(Place)) {
  constexpr int SamplesPerAxis = 3;
  Image image(width, height, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      Color sum{};
      for (int s = 0; s < SamplesPerAxis * SamplesPerAxis; ++s) {
        const Color color = picture({(x + (s % SamplesPerAxis + 0.5) / SamplesPerAxis) / height,
                                     (y + (s / SamplesPerAxis + 0.5) / SamplesPerAxis) / height});
        for (std::size_t c = 0; c < 3; ++c) sum[c] += color[c];
      }
      for (int c = 0; c < 3; ++c) {
        const double mean = sum[static_cast<std::size_t>(c)] / (SamplesPerAxis * SamplesPerAxis);
        image.at(x, y, c) = static_cast<float>(std::clamp(mean, 0.0, 1.0));
      }
    }
  }
  return image;
}

}  // namespace

EditInput draw_evening(int height) {
  const int width = height * 4 / 3;
  EditInput input;
  input.target = render(width, height, dusk);
  input.source = render(width, height, day);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      input.mask.push_back(around_balloon({(x + 0.5) / height, (y + 0.5) / height}) ? 0 : 255);
    }
  }
  return input;
}

}  // namespace thallo::poisson_image_editing
