#include "problems/image_warping/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace thallo::image_warping {
namespace {

// The unit square, x right, y down. A shape is its signed distance, negative inside; distances are
// exact near the outline, which is where they are looked at.
struct P {
  double x, y;
};
P operator-(P a, P b) { return {a.x - b.x, a.y - b.y}; }
double dot(P a, P b) { return a.x * b.x + a.y * b.y; }
double length(P a) { return std::hypot(a.x, a.y); }

double disk(P p, P center, double radius) { return length(p - center) - radius; }

double ellipse(P p, P center, P radii) {
  const P d = p - center;
  const double k = std::hypot(d.x / radii.x, d.y / radii.y);
  const double slope = std::hypot(d.x / (radii.x * radii.x), d.y / (radii.y * radii.y));
  return slope == 0 ? -std::min(radii.x, radii.y) : k * (k - 1.0) / slope;
}

double segment(P p, P a, P b) {
  const double t = std::clamp(dot(p - a, b - a) / dot(b - a, b - a), 0.0, 1.0);
  return length(p - P{a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
}

template <std::size_t N>
double polygon(P p, const std::array<P, N>& corners, double rounding) {
  double distance = 1e9;
  bool inside = false;
  for (std::size_t i = 0, j = N - 1; i < N; j = i++) {
    const P a = corners[i];
    const P b = corners[j];
    distance = std::min(distance, segment(p, a, b));
    if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) {
      inside = !inside;
    }
  }
  return (inside ? -distance : distance) - rounding;
}

// Two shapes as one, the crease between them filled.
double blend(double a, double b, double width) {
  const double h = std::max(width - std::abs(a - b), 0.0) / width;
  return std::min(a, b) - 0.25 * h * h * width;
}

double body(P p) { return ellipse(p, {0.42, 0.54}, {0.27, 0.17}); }
double tail(P p) {
  constexpr std::array<P, 6> Fin = {
      {{0.64, 0.54}, {0.84, 0.36}, {0.89, 0.40}, {0.82, 0.54}, {0.89, 0.68}, {0.84, 0.72}}};
  return polygon(p, Fin, 0.012);
}
double back_fin(P p) {
  constexpr std::array<P, 4> Fin = {{{0.30, 0.42}, {0.40, 0.24}, {0.58, 0.30}, {0.56, 0.43}}};
  return polygon(p, Fin, 0.012);
}
double belly_fin(P p) {
  constexpr std::array<P, 3> Fin = {{{0.40, 0.68}, {0.50, 0.68}, {0.54, 0.80}}};
  return polygon(p, Fin, 0.012);
}
double fins(P p) { return std::min({tail(p), back_fin(p), belly_fin(p)}); }
double fish(P p) { return blend(body(p), fins(p), 0.05); }

using Paint = std::array<double, 3>;
constexpr Paint White = {1.0, 1.0, 1.0};
constexpr Paint Ink = {0.10, 0.12, 0.20};
constexpr Paint Skin = {0.98, 0.62, 0.20};
constexpr Paint Belly = {1.00, 0.86, 0.55};
constexpr Paint Stripe = {0.16, 0.38, 0.66};
constexpr Paint Fin = {0.93, 0.36, 0.22};

// Paints `color` where distance < 0, smooth over one pixel.
void paint(Paint& onto, const Paint& color, double distance, double pixel) {
  const double cover = std::clamp(0.5 - distance / pixel, 0.0, 1.0);
  for (std::size_t c = 0; c < 3; ++c) onto[c] += cover * (color[c] - onto[c]);
}

constexpr double HalfOutline = 0.008;

Paint color_at(P p, double pixel) {
  const double line = std::max(HalfOutline, 0.6 * pixel);
  Paint color = White;
  paint(color, Fin, fish(p), pixel);
  // Rays in the tail.
  const double ray = std::abs(std::remainder(std::atan2(p.y - 0.54, p.x - 0.60), 0.22)) - 0.035;
  paint(color, Ink, std::max({ray * 0.2, tail(p) + 0.02, 0.70 - p.x}), pixel);
  paint(color, Skin, body(p), pixel);
  paint(color, Belly, std::max(body(p), -ellipse(p, {0.42, 0.44}, {0.36, 0.17})), pixel);
  // Three bands behind the head, bent as the body is round.
  const double bent = p.x - 0.6 * (p.y - 0.54) * (p.y - 0.54);
  for (const double middle : {0.36, 0.47, 0.58}) {
    paint(color, Stripe, std::max(std::abs(bent - middle) - 0.025, body(p)), pixel);
  }
  // Gill, eye, mouth.
  paint(color, Ink, std::max(std::abs(disk(p, {0.20, 0.54}, 0.10)) - 0.5 * line, 0.26 - p.x),
        pixel);
  paint(color, Ink, std::max(std::abs(body(p)) - line, fish(p)), pixel);
  paint(color, Ink, std::abs(fish(p)) - line, pixel);
  paint(color, White, disk(p, {0.245, 0.49}, 0.040), pixel);
  paint(color, Ink, std::abs(disk(p, {0.245, 0.49}, 0.040)) - 0.5 * line, pixel);
  paint(color, Ink, disk(p, {0.235, 0.49}, 0.020), pixel);
  paint(color, Ink,
        std::max({std::abs(disk(p, {0.185, 0.565}, 0.040)) - 0.7 * line, 0.575 - p.y, fish(p)}),
        pixel);
  return color;
}

}  // namespace

WarpInput draw_fish(int size) {
  WarpInput input;
  input.picture = Image(size, size, 3);
  input.mask.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  const double pixel = 1.0 / size;
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const P p = {(x + 0.5) * pixel, (y + 0.5) * pixel};
      const Paint color = color_at(p, pixel);
      for (int c = 0; c < 3; ++c) {
        input.picture.at(x, y, c) = static_cast<float>(color[static_cast<std::size_t>(c)]);
      }
      const bool moves = fish(p) < std::max(HalfOutline, 0.6 * pixel) + pixel;
      input.mask[input.picture.index(x, y) / 3] = moves ? 0 : 255;
    }
  }
  // Nose and tail up, the belly down: a leap.
  constexpr struct {
    P from, to;
  } Pulls[] = {{{0.17, 0.54}, {0.13, 0.38}},
               {{0.86, 0.39}, {0.74, 0.10}},
               {{0.86, 0.69}, {0.93, 0.33}},
               {{0.44, 0.66}, {0.45, 0.76}},
               {{0.52, 0.78}, {0.58, 0.90}}};
  const auto to_pixel = [size](double t) { return static_cast<int>(t * size); };
  for (const auto& [from, to] : Pulls) {
    input.handles.push_back(
        {{to_pixel(from.x), to_pixel(from.y)}, {to_pixel(to.x), to_pixel(to.y)}});
  }
  return input;
}

}  // namespace thallo::image_warping
