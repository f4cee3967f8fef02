#include "problems/optical_flow/moving_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace thallo::optical_flow {
namespace {

using Color = std::array<double, 3>;

// x right, 0 to 1, y down, 0 to 0.75.
struct Place {
  double x, y;
};

// A random number from 0 to 1 for every point of a grid, the same on every machine.
double noise_at(std::int64_t x, std::int64_t y, std::uint64_t seed) {
  std::uint64_t h = seed * 0x9E3779B97F4A7C15u +
                    static_cast<std::uint64_t>(x) * 0xC2B2AE3D27D4EB4Fu +
                    static_cast<std::uint64_t>(y) * 0x165667B19E3779F9u;
  h = (h ^ (h >> 31)) * 0xBF58476D1CE4E5B9u;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((h ^ (h >> 31)) >> 40) / static_cast<double>(1 << 24);
}

// Smooth noise: the sum of three grids of random numbers, interpolated, each twice as fine and half
// as strong as the one before.
double texture_at(Place p, double cells, std::uint64_t seed) {
  double sum = 0;
  for (const double finer : {1.0, 2.0, 4.0}) {
    const double u = p.x * cells * finer;
    const double v = p.y * cells * finer;
    const double left = std::floor(u);
    const double top = std::floor(v);
    const auto i = static_cast<std::int64_t>(left);
    const auto j = static_cast<std::int64_t>(top);
    const auto ease = [](double t) { return t * t * (3 - 2 * t); };
    const double s = ease(u - left);
    const double t = ease(v - top);
    const double above = (1 - s) * noise_at(i, j, seed) + s * noise_at(i + 1, j, seed);
    const double below = (1 - s) * noise_at(i, j + 1, seed) + s * noise_at(i + 1, j + 1, seed);
    sum += ((1 - t) * above + t * below) / (finer * 1.75);
  }
  return sum;
}

// A part of the scene turns about `center` and is shifted, from the first moment to the second.
struct Part {
  Place center;
  double angle;
  Place shift;
  Color dark, light;
  double cells;  // of its texture, across the picture

  Place forward(Place p) const { return moved(p, angle, shift); }
  Place backward(Place p) const { return moved({p.x - shift.x, p.y - shift.y}, -angle, {0, 0}); }

 private:
  Place moved(Place p, double by, Place along) const {
    const double x = p.x - center.x;
    const double y = p.y - center.y;
    return {center.x + std::cos(by) * x - std::sin(by) * y + along.x,
            center.y + std::sin(by) * x + std::cos(by) * y + along.y};
  }
};

enum PartIndex : std::size_t { Wall, Disk, Card };
constexpr Part Parts[] = {
    {{0.5, 0.375}, 0, {-0.010, 0.004}, {0.25, 0.30, 0.36}, {0.80, 0.80, 0.74}, 14},
    {{0.33, 0.40}, 0.10, {0.004, -0.006}, {0.45, 0.12, 0.10}, {0.98, 0.80, 0.45}, 20},
    {{0.70, 0.33}, -0.03, {0.030, 0.018}, {0.08, 0.22, 0.42}, {0.62, 0.86, 0.92}, 17},
};

bool covers(PartIndex part, Place p) {
  const double x = p.x - Parts[part].center.x;
  const double y = p.y - Parts[part].center.y;
  switch (part) {
    case Wall: return true;
    case Disk: return std::hypot(x, y) < 0.19;
    case Card: return std::abs(x + 0.3 * y) < 0.11 && std::abs(y - 0.3 * x) < 0.15;
  }
  return false;
}

// The part that is seen at p, and where its point is at the first moment.
struct Seen {
  PartIndex part;
  Place first;
};
Seen look(Place p, bool is_second) {
  for (const PartIndex part : {Card, Disk}) {
    const Place first = is_second ? Parts[part].backward(p) : p;
    if (covers(part, first)) return {part, first};
  }
  return {Wall, is_second ? Parts[Wall].backward(p) : p};
}

Image draw(int width, int height, bool is_second) {
  constexpr int SamplesPerAxis = 3;
  Image picture(width, height, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int s = 0; s < SamplesPerAxis * SamplesPerAxis; ++s) {
        const Place p = {(x + (s % SamplesPerAxis + 0.5) / SamplesPerAxis) / width,
                         (y + (s / SamplesPerAxis + 0.5) / SamplesPerAxis) / width};
        const auto [index, first] = look(p, is_second);
        const Part& part = Parts[index];
        const double t = std::clamp(1.6 * texture_at(first, part.cells, index + 1) - 0.3, 0.0, 1.0);
        for (int c = 0; c < 3; ++c) {
          const auto channel = static_cast<std::size_t>(c);
          const double color = part.dark[channel] + t * (part.light[channel] - part.dark[channel]);
          picture.at(x, y, c) += static_cast<float>(color / (SamplesPerAxis * SamplesPerAxis));
        }
      }
    }
  }
  return picture;
}

}  // namespace

FlowInput draw_moving_shapes(int size) {
  const int height = size * 3 / 4;
  FlowInput input{draw(size, height, false), draw(size, height, true), Image(size, height, 2)};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < size; ++x) {
      const Place p = {(x + 0.5) / size, (y + 0.5) / size};
      const Place next = Parts[look(p, false).part].forward(p);
      input.truth->at(x, y, 0) = static_cast<float>((next.x - p.x) * size);
      input.truth->at(x, y, 1) = static_cast<float>((next.y - p.y) * size);
    }
  }
  return input;
}

}  // namespace thallo::optical_flow
