#include "problems/procrustes_alignment/shell.h"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace thallo::procrustes_alignment {

Mesh make_shell(int around) {
  constexpr double Turn = 2 * std::numbers::pi;
  constexpr double Turns = 3.2;
  constexpr double GrowthPerTurn = 2.1;
  constexpr double TubeRadius = 0.58;  // where the tube's center is 1 from the axis
  constexpr double Slope = 1.3;        // height over distance from the axis
  const int rings = 6 * around;

  Mesh mesh;
  for (int i = 0; i < rings; ++i) {
    const double turns = Turns * i / (rings - 1);
    const double size = std::pow(GrowthPerTurn, turns - Turns) / (1 + TubeRadius);
    for (int j = 0; j < around; ++j) {
      const double v = Turn * j / around;
      const double reach = size * (1 + TubeRadius * std::cos(v));
      mesh.positions.push_back({reach * std::cos(Turn * turns), reach * std::sin(Turn * turns),
                                size * (TubeRadius * std::sin(v) - Slope)});
    }
  }
  const auto vertex = [&](int i, int j) { return std::int32_t{i * around + j % around}; };
  for (int i = 0; i + 1 < rings; ++i) {
    for (int j = 0; j < around; ++j) {
      mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i, j + 1)});
      mesh.triangles.push_back({vertex(i, j + 1), vertex(i + 1, j), vertex(i + 1, j + 1)});
    }
  }
  return mesh;
}

}  // namespace thallo::procrustes_alignment
