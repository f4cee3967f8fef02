#include "core/explore/plot/label_rows.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace thallo::plot {
namespace {

// The distance between a label and other labels or lines.
constexpr double Gap = 3;

struct Interval {
  double from = 0, to = 0;
};

Interval interval_of(const LineLabel& label, bool is_right) {
  return is_right ? Interval{label.x, label.x + label.width}
                  : Interval{label.x - label.width, label.x};
}

struct Rows {
  std::vector<int> rows;
  std::size_t num_crossings = 0;  // between lines and labels
};

// Assigns rows once the sides of the labels are decided. A label goes above the labels whose lines
// it would cover, so those labels are placed first. If two labels would each have to be above the
// other, a line runs through a label.
Rows rows_of(std::span<const LineLabel> labels, const std::vector<bool>& is_right) {
  const std::size_t n = labels.size();
  const auto covers = [&](std::size_t i, std::size_t j) {
    const double distance = is_right[i] ? labels[j].x - labels[i].x : labels[i].x - labels[j].x;
    return distance > 0 && distance < labels[i].width + Gap;
  };
  const auto touch = [&](std::size_t i, std::size_t j) {
    const Interval a = interval_of(labels[i], is_right[i]);
    const Interval b = interval_of(labels[j], is_right[j]);
    return a.from < b.to + Gap && b.from < a.to + Gap;
  };
  std::vector<int> rows(n, -1);
  std::size_t num_crossings = 0;
  for (std::size_t placed = 0; placed < n; ++placed) {
    std::size_t next = n;
    std::size_t fewest = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (rows[i] >= 0) continue;
      std::size_t crossings = 0;
      for (std::size_t j = 0; j < n; ++j) crossings += rows[j] < 0 && covers(i, j) ? 1 : 0;
      if (crossings < fewest) {
        fewest = crossings;
        next = i;
      }
    }
    num_crossings += fewest;
    int row = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (rows[j] >= 0 && covers(next, j)) row = std::max(row, rows[j] + 1);
    }
    const auto is_taken = [&] {
      for (std::size_t j = 0; j < n; ++j)
        if (rows[j] == row && touch(next, j)) return true;
      return false;
    };
    while (is_taken()) ++row;
    rows[next] = row;
  }
  return {std::move(rows), num_crossings};
}

}  // namespace

std::vector<LabelPlace> place_labels(std::span<const LineLabel> labels, double left, double right) {
  const std::size_t n = labels.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return labels[i].x; });

  // Tries putting the labels of the first `split` lines to the right and the others to the left.
  // The best split is the one whose labels overhang least, then the one with the fewest crossings,
  // then the one with the fewest rows.
  std::vector<LabelPlace> best(n);
  auto least = std::make_tuple(std::numeric_limits<double>::infinity(), n * n, 0);
  for (std::size_t split = n + 1; split-- > 0;) {
    std::vector<bool> is_right(n);
    double outside = 0;
    for (std::size_t k = 0; k < n; ++k) {
      is_right[order[k]] = k < split;
      const Interval its = interval_of(labels[order[k]], k < split);
      outside += std::max(0.0, its.to - right) + std::max(0.0, left - its.from);
    }
    const auto [rows, num_crossings] = rows_of(labels, is_right);
    const int num_rows = n == 0 ? 0 : 1 + *std::ranges::max_element(rows);
    const auto its = std::make_tuple(outside, num_crossings, num_rows);
    if (its >= least) continue;
    least = its;
    for (std::size_t i = 0; i < n; ++i) best[i] = {is_right[i], rows[i]};
  }
  return best;
}

}  // namespace thallo::plot
