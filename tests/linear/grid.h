// A sparse matrix as linear solvers get it: the Laplacian of a W x H grid with several unknowns a
// point, all of which are coupled with those of the neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "core/linear/linear_solver.h"

namespace thallo::test {

struct Grid {
  Grid(int w, int h, int channels) : n(w * h * channels) {
    offsets.push_back(0);
    for (int row = 0; row < n; ++row) {
      const int x = row / channels % w;
      const int y = row / channels / w;
      const auto add_point = [&](int i, int j) {
        if (i < 0 || i >= w || j < 0 || j >= h) return;
        for (int c = 0; c < channels; ++c) {
          const int column = (j * w + i) * channels + c;
          columns.push_back(column);
          values.push_back(column == row ? 4.5 * channels : i == x && j == y ? -0.25 : -1.0);
        }
      };
      add_point(x, y - 1);
      add_point(x - 1, y);
      add_point(x, y);
      add_point(x + 1, y);
      add_point(x, y + 1);
      offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
  }
  MatrixPattern pattern() const { return {n, offsets, columns}; }

  int n;
  std::vector<std::int32_t> offsets{}, columns{};
  std::vector<double> values{};
};

}  // namespace thallo::test
