// What is known of the Cholesky factor of a sparse matrix before any number is: in which order its
// rows are eliminated, and how much the factor takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/linear/linear_solver.h"

namespace thallo {

// Rows that are neighbours and have the same columns, as those of the channels of one element have,
// are ordered as one: the graph of elements is ordered by approximate minimum degree (AMD), which
// keeps the factor sparse.
class SymbolicFactor {
 public:
  explicit SymbolicFactor(const MatrixPattern& pattern);  // Csr

  // The rows in the order of their elimination.
  const std::vector<std::int32_t>& order() const { return order_; }

  // Absent when there are more entries than `max_entries`; counting, which takes as long as there
  // are entries of elements, ends there.
  std::optional<FactorSize> size(double max_entries) const;

 private:
  void find_elements(const MatrixPattern& pattern);
  void find_graph(const MatrixPattern& pattern);
  void order_elements();

  std::vector<std::int32_t> first_row_;             // of each element, and the end
  std::vector<std::int32_t> element_of_;            // by row
  std::vector<std::int32_t> offsets_, neighbours_;  // of the graph of elements, themselves included
  std::vector<std::int32_t> element_order_;         // place -> element
  std::vector<std::int32_t> order_;
};

}  // namespace thallo
