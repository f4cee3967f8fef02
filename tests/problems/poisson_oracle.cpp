#include "tests/problems/poisson_oracle.h"

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/error.h"

namespace thallo::test {

double farthest_from_direct_solve(const Run& run) {
  const Binding& binding = run.instance.binding;
  const auto values_of = [&](const char* name) {
    return binding.field(run.file.energy.find_field(name)).to_doubles();
  };
  const std::vector<double> result = values_of("X");  // around the region still as it was
  const std::vector<double> source = values_of("T");
  const std::vector<double> mask = values_of("M");
  const auto width = static_cast<int>(binding.extents()[0]);
  const auto height = static_cast<int>(binding.extents()[1]);

  std::vector<int> row_of(mask.size(), -1);
  int num_rows = 0;
  for (std::size_t p = 0; p < mask.size(); ++p) {
    if (mask[p] == 0) row_of[p] = num_rows++;
  }
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(num_rows, 4);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto p = static_cast<std::size_t>(y * width + x);
      if (row_of[p] < 0) continue;
      for (const auto& [dx, dy] : {std::array{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        if (x + dx < 0 || y + dy < 0 || x + dx >= width || y + dy >= height) continue;
        const auto q = static_cast<std::size_t>((y + dy) * width + x + dx);
        // Between edited pixels the edge is there from both ends.
        const double weight = row_of[q] < 0 ? 1 : 2;
        entries.emplace_back(row_of[p], row_of[p], weight);
        if (row_of[q] >= 0) entries.emplace_back(row_of[p], row_of[q], -weight);
        for (std::size_t c = 0; c < 4; ++c) {
          const double fixed = row_of[q] < 0 ? result[4 * q + c] : 0;
          right(row_of[p], static_cast<Eigen::Index>(c)) +=
              weight * (source[4 * p + c] - source[4 * q + c] + fixed);
        }
      }
    }
  }
  Eigen::SparseMatrix<double> matrix(num_rows, num_rows);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(matrix);
  THALLO_ASSERT(factors.info() == Eigen::Success, "the normal equations are singular");
  const Eigen::MatrixXd direct = factors.solve(right);

  double farthest = 0;
  for (std::size_t p = 0; p < mask.size(); ++p) {
    if (row_of[p] < 0) continue;
    for (std::size_t c = 0; c < 4; ++c) {
      const double expected = direct(row_of[p], static_cast<Eigen::Index>(c));
      farthest = std::max(farthest, std::abs(result[4 * p + c] - expected));
    }
  }
  return farthest;
}

}  // namespace thallo::test
