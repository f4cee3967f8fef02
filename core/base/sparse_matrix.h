// A sparse matrix in compressed rows (CSR). The entries of row i are numbers offsets[i] to
// offsets[i + 1] - 1; their columns ascend, each at most once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thallo {

struct SparseMatrix {
  std::int64_t num_columns = 0;
  std::vector<std::size_t> offsets = {0};
  std::vector<std::int64_t> columns;
  std::vector<double> values;

  std::int64_t num_rows() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::size_t num_entries() const { return columns.size(); }

  void add(std::int64_t column, double value) {
    columns.push_back(column);
    values.push_back(value);
  }
  // Ends the row whose entries were added.
  void end_row() { offsets.push_back(columns.size()); }

  // Returns all rows one after the other, with zeros where there is no entry.
  std::vector<double> to_dense() const;
  SparseMatrix transposed() const;
};

}  // namespace thallo
