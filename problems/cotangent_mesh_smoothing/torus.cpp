#include "problems/cotangent_mesh_smoothing/torus.h"

#include <cmath>
#include <numbers>

#include "core/base/random.h"

namespace thallo::cotangent_mesh_smoothing {

Mesh make_torus(int around, double noise, std::uint64_t seed) {
  const int tube = around / 2;
  Random random(seed);
  Mesh mesh;
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < tube; ++j) {
      // Every other ring is turned by half a step: triangles are nearly equilateral.
      const double u = 2 * std::numbers::pi * i / around;
      const double v = 2 * std::numbers::pi * (j + 0.5 * (i % 2)) / tube;
      const double reach = 1 + TubeRadius * std::cos(v);
      std::array<double, 3> point = {reach * std::cos(u), reach * std::sin(u),
                                     TubeRadius * std::sin(v)};
      for (double& c : point) c += noise * random.normal();
      mesh.positions.push_back(point);
    }
  }
  const auto vertex = [&](int i, int j) {
    return static_cast<std::int32_t>((i % around) * tube + (j + tube) % tube);
  };
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < tube; ++j) {
      if (i % 2 == 0) {
        mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i, j + 1)});
        mesh.triangles.push_back({vertex(i, j + 1), vertex(i + 1, j), vertex(i + 1, j + 1)});
      } else {
        mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)});
        mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)});
      }
    }
  }
  return mesh;
}

double distance_to_torus(const std::array<double, 3>& point) {
  return std::hypot(std::hypot(point[0], point[1]) - 1, point[2]) - TubeRadius;
}

}  // namespace thallo::cotangent_mesh_smoothing
