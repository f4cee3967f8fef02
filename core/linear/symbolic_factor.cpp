#include "core/linear/symbolic_factor.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>

namespace thallo {
namespace {

std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

std::span<const std::int32_t> columns_of(const MatrixPattern& pattern, std::size_t row) {
  const std::size_t begin = index(pattern.offsets[row]);
  return pattern.columns.subspan(begin, index(pattern.offsets[row + 1]) - begin);
}

}  // namespace

SymbolicFactor::SymbolicFactor(const MatrixPattern& pattern) {
  find_elements(pattern);
  find_graph(pattern);
  order_elements();
}

void SymbolicFactor::find_elements(const MatrixPattern& pattern) {
  const auto n = static_cast<std::size_t>(pattern.n);
  for (std::size_t row = 0; row < n; ++row) {
    const bool is_same =
        row > 0 && std::ranges::equal(columns_of(pattern, row), columns_of(pattern, row - 1));
    if (!is_same) first_row_.push_back(static_cast<std::int32_t>(row));
    element_of_.push_back(static_cast<std::int32_t>(first_row_.size()) - 1);
  }
  first_row_.push_back(static_cast<std::int32_t>(n));
}

void SymbolicFactor::find_graph(const MatrixPattern& pattern) {
  offsets_.push_back(0);
  for (std::size_t element = 0; element + 1 < first_row_.size(); ++element) {
    const std::size_t begin = neighbors_.size();
    for (const std::int32_t column : columns_of(pattern, index(first_row_[element]))) {
      const std::int32_t other = element_of_[index(column)];
      if (neighbors_.size() == begin || neighbors_.back() != other) neighbors_.push_back(other);
    }
    offsets_.push_back(static_cast<std::int32_t>(neighbors_.size()));
  }
}

void SymbolicFactor::order_elements() {
  const auto m = static_cast<Eigen::Index>(offsets_.size()) - 1;
  // Eigen wants values, which it does not look at.
  const std::vector<float> values(neighbors_.size(), 1.0F);
  const Eigen::Map<const Eigen::SparseMatrix<float, Eigen::ColMajor, std::int32_t>> graph(
      m, m, static_cast<Eigen::Index>(neighbors_.size()), offsets_.data(), neighbors_.data(),
      values.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, std::int32_t> order;
  const Eigen::SparseMatrix<float, Eigen::ColMajor, std::int32_t> copy(graph);
  if (m > 0) Eigen::AMDOrdering<std::int32_t>()(copy.selfadjointView<Eigen::Lower>(), order);
  for (Eigen::Index place = 0; place < m; ++place) {
    const std::int32_t element = order.indices()[place];
    element_order_.push_back(element);
    for (std::int32_t row = first_row_[index(element)]; row < first_row_[index(element) + 1]; ++row)
      order_.push_back(row);
  }
}

std::int64_t SymbolicFactor::hops_across() const {
  const std::size_t m = element_order_.size();
  // The walk that has come to each element, and how far it had gone.
  std::vector<std::int32_t> walk_of(m, -1);
  std::vector<std::int64_t> hops(m);
  std::vector<std::size_t> reached;
  const auto farthest_from = [&](std::size_t start, std::int32_t walk) {
    reached.assign(1, start);
    walk_of[start] = walk;
    hops[start] = 0;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const std::size_t element = reached[next];
      for (std::int32_t at = offsets_[element]; at < offsets_[element + 1]; ++at) {
        const std::size_t neighbor = index(neighbors_[index(at)]);
        if (walk_of[neighbor] == walk) continue;
        walk_of[neighbor] = walk;
        hops[neighbor] = hops[element] + 1;
        reached.push_back(neighbor);
      }
    }
    return reached.back();
  };
  std::int64_t most = 0;
  for (std::size_t element = 0; element < m; ++element) {
    if (walk_of[element] >= 0) continue;
    most = std::max(most, hops[farthest_from(farthest_from(element, 0), 1)]);
  }
  return most;
}

// Walks the elimination tree as it is made, from the neighbors of each element up to the element:
// it passes the columns in which the element's row of the factor has entries (Davis, Direct Methods
// for Sparse Linear Systems, 4.1).
std::optional<FactorSize> SymbolicFactor::size(double max_entries) const {
  const std::size_t m = element_order_.size();
  const auto width = [this](std::size_t place) {
    const std::size_t element = index(element_order_[place]);
    return static_cast<double>(first_row_[element + 1] - first_row_[element]);
  };
  std::vector<std::size_t> place_of(m);
  for (std::size_t place = 0; place < m; ++place) place_of[index(element_order_[place])] = place;
  constexpr std::size_t NoParent = ~std::size_t{0};
  std::vector<std::size_t> parent(m, NoParent);
  std::vector<std::size_t> visited_for(m);
  std::vector<double> below(m, 0.0);  // rows below the element's own, by place
  FactorSize size;
  for (std::size_t place = 0; place < m; ++place) {
    visited_for[place] = place;
    size.entries += width(place) * (width(place) + 1) / 2;
    const std::size_t element = index(element_order_[place]);
    for (std::int32_t k = offsets_[element]; k < offsets_[element + 1]; ++k) {
      std::size_t at = place_of[index(neighbors_[index(k)])];
      size.matrix_entries += width(place) * width(at);
      for (; at < place && visited_for[at] != place; at = parent[at]) {
        if (parent[at] == NoParent) parent[at] = place;
        visited_for[at] = place;
        below[at] += width(place);
        size.entries += width(place) * width(at);
      }
    }
    if (size.entries > max_entries) return std::nullopt;
  }
  // A column with c entries below the diagonal changes c (c + 1) / 2 entries of later columns.
  for (std::size_t place = 0; place < m; ++place) {
    for (double later = 0; later < width(place); ++later) {
      const double count = below[place] + later;
      size.flops += count * (count + 1) + 2 * count;
    }
  }
  return size;
}

}  // namespace thallo
