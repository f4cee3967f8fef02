#include "problems/embedded_mesh_deformation/bar.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace thallo::embedded_mesh_deformation {
namespace {

constexpr double Length = 4, Width = 1;

// A ring of vertices around the bar; on a cap it is smaller than the bar.
struct Ring {
  double x = 0;
  double scale = 1;
};

// From the left cap, without its center, to the right cap.
std::vector<Ring> rings_of(int across) {
  const int on_cap = (across + 1) / 2;
  const int along = static_cast<int>(Length / Width) * across;
  std::vector<Ring> rings;
  for (int k = 1; k < on_cap; ++k) rings.push_back({-Length / 2, static_cast<double>(k) / on_cap});
  for (int k = 0; k <= along; ++k) rings.push_back({-Length / 2 + Length * k / along, 1});
  for (int k = on_cap - 1; k > 0; --k)
    rings.push_back({Length / 2, static_cast<double>(k) / on_cap});
  return rings;
}

// Where a point of the right end goes.
std::array<double, 3> posed(const std::array<double, 3>& point, const BarPose& pose) {
  const double twist = pose.twist * std::numbers::pi / 180;
  const double bend = pose.bend * std::numbers::pi / 180;
  const double y = std::cos(twist) * point[1] - std::sin(twist) * point[2];
  const double z = std::sin(twist) * point[1] + std::cos(twist) * point[2];
  // The axis of the bar keeps its length: it becomes an arc, which ends here.
  const bool is_straight = std::abs(bend) < 1e-9;
  const double end_x = is_straight ? Length : Length / bend * std::sin(bend);
  const double end_y = is_straight ? 0 : Length / bend * (1 - std::cos(bend));
  return {-Length / 2 + end_x - std::sin(bend) * y, end_y + std::cos(bend) * y, z};
}

}  // namespace

HandledMesh make_bar(int across, const BarPose& pose) {
  constexpr std::array<std::uint8_t, 3> Stripes[] = {{214, 196, 170}, {150, 172, 186}};
  const int around = 4 * across;
  const std::vector<Ring> rings = rings_of(across);
  HandledMesh bar;
  Mesh& mesh = bar.mesh;
  const auto add = [&](double x, double y, double z, int stripe) {
    mesh.positions.push_back({x, y, z});
    mesh.add_color(Stripes[stripe]);
  };
  add(-Length / 2, 0, 0, 0);
  for (const Ring& ring : rings) {
    for (int i = 0; i < around; ++i) {
      const double angle = 2 * std::numbers::pi * (i + 0.5) / around + std::numbers::pi / 4;
      const double c = std::cos(angle);
      const double s = std::sin(angle);
      // Nearly a square.
      const double radius =
          ring.scale * Width / 2 * std::pow(std::pow(c, 8) + std::pow(s, 8), -1.0 / 8);
      add(ring.x, radius * c, radius * s, i / across % 2);
      if (ring.scale < 1 || std::abs(ring.x) < Length / 2) continue;
      const auto& point = mesh.positions.back();
      const bool is_left = ring.x < 0;
      bar.handles.push_back({static_cast<std::int32_t>(mesh.positions.size() - 1),
                             is_left ? point : posed(point, pose)});
    }
  }
  add(Length / 2, 0, 0, 0);

  const auto last = static_cast<std::int32_t>(mesh.positions.size() - 1);
  const auto vertex = [&](std::size_t ring, int i) {
    return static_cast<std::int32_t>(1 + static_cast<int>(ring) * around + i % around);
  };
  for (int i = 0; i < around; ++i) {
    mesh.triangles.push_back({0, vertex(0, i + 1), vertex(0, i)});
    for (std::size_t ring = 0; ring + 1 < rings.size(); ++ring) {
      mesh.triangles.push_back({vertex(ring, i), vertex(ring, i + 1), vertex(ring + 1, i + 1)});
      mesh.triangles.push_back({vertex(ring, i), vertex(ring + 1, i + 1), vertex(ring + 1, i)});
    }
    mesh.triangles.push_back({vertex(rings.size() - 1, i), vertex(rings.size() - 1, i + 1), last});
  }
  return bar;
}

}  // namespace thallo::embedded_mesh_deformation
