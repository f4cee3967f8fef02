#include "core/base/sparse_matrix.h"

namespace thallo {

std::vector<double> SparseMatrix::to_dense() const {
  const auto width = static_cast<std::size_t>(num_columns);
  std::vector<double> dense((offsets.size() - 1) * width, 0.0);
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    for (std::size_t k = offsets[row]; k < offsets[row + 1]; ++k)
      dense[row * width + static_cast<std::size_t>(columns[k])] = values[k];
  }
  return dense;
}

SparseMatrix SparseMatrix::transposed() const {
  SparseMatrix result;
  result.num_columns = num_rows();
  result.offsets.assign(static_cast<std::size_t>(num_columns) + 1, 0);
  for (const std::int64_t column : columns) ++result.offsets[static_cast<std::size_t>(column) + 1];
  for (std::size_t i = 1; i < result.offsets.size(); ++i)
    result.offsets[i] += result.offsets[i - 1];
  result.columns.resize(columns.size());
  result.values.resize(values.size());
  std::vector<std::size_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    for (std::size_t k = offsets[row]; k < offsets[row + 1]; ++k) {
      const std::size_t to = next[static_cast<std::size_t>(columns[k])]++;
      result.columns[to] = static_cast<std::int64_t>(row);
      result.values[to] = values[k];
    }
  }
  return result;
}

}  // namespace thallo
