// The properties of a sparse matrix's Cholesky factor that are known before its numbers are: the
// order in which rows are eliminated, and the size of the factor.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/linear/linear_solver.h"

namespace thallo {

// Neighboring rows with the same columns, such as those of the channels of one element, are ordered
// together: the graph of elements is ordered by approximate minimum degree (AMD), which keeps the
// factor sparse.
class SymbolicFactor {
 public:
  explicit SymbolicFactor(const MatrixPattern& pattern);  // Csr

  // The rows in the order of their elimination.
  const std::vector<std::int32_t>& order() const { return order_; }

  // Absent if there are more entries than `max_entries`; counting stops there. The time of counting
  // is proportional to the entries of the elements' factor.
  std::optional<FactorSize> size(double max_entries) const;

  // Returns how many hops two elements are apart, about the most that any two of a connected part
  // are: those from a first element to the farthest, and from there to the farthest.
  std::int64_t hops_across() const;

 private:
  void find_elements(const MatrixPattern& pattern);
  void find_graph(const MatrixPattern& pattern);
  void order_elements();

  std::vector<std::int32_t> first_row_;            // of each element, and the end
  std::vector<std::int32_t> element_of_;           // by row
  std::vector<std::int32_t> offsets_, neighbors_;  // of the graph of elements, including loops
  std::vector<std::int32_t> element_order_;        // position -> element
  std::vector<std::int32_t> order_;
};

}  // namespace thallo
