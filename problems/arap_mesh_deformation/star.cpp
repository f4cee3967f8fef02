#include "problems/arap_mesh_deformation/star.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/subdivide.h"

namespace thallo::arap_mesh_deformation {
namespace {

constexpr int NumArms = 5;

Mesh make_icosahedron() {
  constexpr double g = std::numbers::phi;
  Mesh mesh;
  mesh.positions = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                    {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  mesh.triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  return mesh;
}

// A point of a sphere as one of the star: pulled out along the arms, pressed flat.
std::array<double, 3> star_point(const std::array<double, 3>& p) {
  const double length = std::hypot(p[0], p[1], p[2]);
  const double x = p[0] / length;
  const double y = p[1] / length;
  const double z = p[2] / length;
  const double square = x * x + y * y;
  const double arm = std::cos(NumArms * std::atan2(y, x));
  const double reach = 0.62 + 0.38 * arm * square;
  const double thickness = 0.26 * (1 - 0.35 * square);
  return {reach * x, reach * y, thickness * z};
}

}  // namespace

HandledMesh make_star(int detail) {
  HandledMesh input{.mesh = make_icosahedron()};
  for (int i = 0; i < detail; ++i) input.mesh = subdivide_sqrt3(input.mesh);
  for (auto& point : input.mesh.positions) point = star_point(point);

  for (int arm = 0; arm < NumArms; ++arm) {
    const double angle = 2 * std::numbers::pi * arm / NumArms;
    const std::array<double, 2> out = {std::cos(angle), std::sin(angle)};
    const auto tip = std::ranges::max_element(
        input.mesh.positions, {}, [&](const auto& p) { return out[0] * p[0] + out[1] * p[1]; });
    const auto vertex = tip - input.mesh.positions.begin();
    std::array<double, 3> goal = *tip;
    if (arm == 1 || arm == 2) goal = {0.3 * goal[0], 0.3 * goal[1], 0.85};
    input.handles.push_back({static_cast<std::int32_t>(vertex), goal});
  }
  return input;
}

}  // namespace thallo::arap_mesh_deformation
