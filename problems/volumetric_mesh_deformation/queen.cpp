#include "problems/volumetric_mesh_deformation/queen.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace thallo::volumetric_mesh_deformation {
namespace {

struct ProfilePoint {
  double radius;
  double height;
};

constexpr ProfilePoint Profile[] = {
    {0, 0},      {4.5, 0},    {4.5, 1.3},  {4.0, 2.0},  {4.1, 2.6},  {3.6, 3.4},  {2.9, 4.0},
    {2.4, 6.0},  {1.9, 9.0},  {1.6, 13.0}, {1.5, 17.5}, {1.7, 18.6}, {2.7, 19.2}, {2.9, 19.8},
    {2.7, 20.4}, {1.9, 21.0}, {1.8, 22.0}, {2.2, 24.0}, {3.1, 26.4}, {2.7, 26.5}, {1.7, 27.6},
    {0.8, 28.2}, {0.6, 28.4}, {0.9, 29.0}, {0.6, 29.7}, {0, 30}};

// The profile by arc length, from 0 at the foot to 1 at the top.
class Outline {
 public:
  Outline() {
    for (std::size_t i = 0; i < std::size(Profile); ++i) {
      const double step = i == 0 ? 0
                                 : std::hypot(Profile[i].radius - Profile[i - 1].radius,
                                              Profile[i].height - Profile[i - 1].height);
      lengths_.push_back(i == 0 ? 0 : lengths_.back() + step);
    }
  }

  ProfilePoint at(double fraction) const {
    const double length = fraction * lengths_.back();
    std::size_t i = 1;
    while (i + 1 < lengths_.size() && lengths_[i] < length) ++i;
    const double t = (length - lengths_[i - 1]) / (lengths_[i] - lengths_[i - 1]);
    return {std::lerp(Profile[i - 1].radius, Profile[i].radius, t),
            std::lerp(Profile[i - 1].height, Profile[i].height, t)};
  }

 private:
  std::vector<double> lengths_;
};

}  // namespace

Mesh make_queen(int around) {
  const Outline outline;
  const int rings = std::max(3, static_cast<int>(std::lround(2.4 * around)));
  Mesh mesh;
  mesh.positions.push_back({0, 0, 0});
  for (int ring = 1; ring < rings; ++ring) {
    const auto [radius, height] = outline.at(static_cast<double>(ring) / rings);
    // The rim of the crown, around a height of 26.4, rises and falls.
    const double crown =
        radius < 1 ? 0 : 0.8 * std::exp(-std::pow((height - 26.4) / 0.7, 2)) * (radius / 3.1);
    for (int i = 0; i < around; ++i) {
      const double angle = 2 * std::numbers::pi * i / around;
      mesh.positions.push_back({radius * std::cos(angle), height + crown * std::cos(8 * angle),
                                radius * std::sin(angle)});
    }
  }
  mesh.positions.push_back({0, Profile[std::size(Profile) - 1].height, 0});

  const auto top = static_cast<std::int32_t>(mesh.positions.size() - 1);
  const auto vertex = [&](int ring, int i) {  // of rings 1 to rings - 1
    return static_cast<std::int32_t>(1 + (ring - 1) * around + i % around);
  };
  for (int i = 0; i < around; ++i) {
    mesh.triangles.push_back({0, vertex(1, i), vertex(1, i + 1)});
    for (int ring = 1; ring + 1 < rings; ++ring) {
      mesh.triangles.push_back({vertex(ring, i), vertex(ring + 1, i), vertex(ring + 1, i + 1)});
      mesh.triangles.push_back({vertex(ring, i), vertex(ring + 1, i + 1), vertex(ring, i + 1)});
    }
    mesh.triangles.push_back({vertex(rings - 1, i), top, vertex(rings - 1, i + 1)});
  }
  return mesh;
}

}  // namespace thallo::volumetric_mesh_deformation
