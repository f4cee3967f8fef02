#include "core/kernel/bind/lists.h"

#include <cstddef>
#include <numeric>

namespace thallo {
namespace {

std::size_t place(std::int32_t i) { return static_cast<std::size_t>(i); }

void pause(const std::function<void()>& between) {
  if (between) between();
}

}  // namespace

CompressedInverse invert(std::span<const std::int32_t> values, std::int64_t num_elements) {
  const auto is_inside = [&](std::int32_t value) { return value >= 0 && value < num_elements; };
  CompressedInverse inverse;
  inverse.offsets.assign(static_cast<std::size_t>(num_elements) + 1, 0);
  inverse.points.assign(values.size(), 0);
  for (const std::int32_t value : values) {
    if (is_inside(value)) ++inverse.offsets[static_cast<std::size_t>(value) + 1];
  }
  std::partial_sum(inverse.offsets.begin(), inverse.offsets.end(), inverse.offsets.begin());
  std::vector<std::int32_t> next(inverse.offsets.begin(), inverse.offsets.end() - 1);
  for (std::size_t point = 0; point < values.size(); ++point) {
    if (!is_inside(values[point])) continue;
    std::int32_t& place = next[static_cast<std::size_t>(values[point])];
    inverse.points[static_cast<std::size_t>(place++)] = static_cast<std::int32_t>(point);
  }
  return inverse;
}

// Sorts the pairs by two passes of counting, as there may be many millions.
BlockList find_blocks(std::span<const std::int32_t> rows, std::span<const std::int32_t> cols,
                      std::int64_t num_rows, std::int64_t num_cols,
                      const std::function<void()>& between) {
  const CompressedInverse by_col = invert(cols, num_cols);
  std::vector<std::int32_t> rows_by_col(place(by_col.offsets.back()));
  for (std::size_t i = 0; i < rows_by_col.size(); ++i)
    rows_by_col[i] = rows[place(by_col.points[i])];
  pause(between);
  const CompressedInverse by_row = invert(rows_by_col, num_rows);
  pause(between);
  BlockList list;
  list.block_of.assign(rows.size(), -1);
  std::size_t previous = 0;
  for (const std::int32_t i : by_row.points) {
    const std::size_t pair = place(by_col.points[place(i)]);
    if (list.rows.empty() || rows[pair] != rows[previous] || cols[pair] != cols[previous]) {
      list.rows.push_back(rows[pair]);
      list.cols.push_back(cols[pair]);
    }
    list.block_of[pair] = static_cast<std::int32_t>(list.rows.size()) - 1;
    previous = pair;
  }
  return list;
}

// The pairs of each row of the first list are sorted by the row of the second.
BlockPairs pair_blocks(const BlockList& first, const BlockList& second, std::int64_t num_cols,
                       std::int64_t num_second_rows, const std::function<void()>& between) {
  const CompressedInverse in_column = invert(second.cols, num_cols);
  BlockPairs pairs;
  for (std::size_t block = 0; block < first.rows.size();) {
    pause(between);
    std::vector<std::int32_t> in_row, met, met_rows;
    for (const std::int32_t row = first.rows[block];
         block < first.rows.size() && first.rows[block] == row; ++block) {
      for (auto k = place(in_column.offsets[place(first.cols[block])]);
           k < place(in_column.offsets[place(first.cols[block]) + 1]); ++k) {
        const std::int32_t other = in_column.points[k];
        if (&first == &second && place(other) >= block) break;
        in_row.push_back(static_cast<std::int32_t>(block));
        met.push_back(other);
        met_rows.push_back(second.rows[place(other)]);
      }
    }
    for (const std::int32_t pair : invert(met_rows, num_second_rows).points) {
      pairs.first.push_back(in_row[place(pair)]);
      pairs.second.push_back(met[place(pair)]);
    }
  }
  return pairs;
}

std::vector<std::int32_t> coordinates_of(std::span<const std::int32_t> elements,
                                         std::span<const std::int64_t> extents) {
  std::vector<std::int32_t> coordinates;
  coordinates.reserve(elements.size() * extents.size());
  for (std::int64_t element : elements) {
    for (const std::int64_t extent : extents) {
      coordinates.push_back(static_cast<std::int32_t>(element % extent));
      element /= extent;
    }
  }
  return coordinates;
}

std::vector<std::int32_t> picked(std::span<const std::int32_t> values,
                                 std::span<const std::int32_t> places) {
  std::vector<std::int32_t> result;
  result.reserve(places.size());
  for (const std::int32_t i : places) result.push_back(values[place(i)]);
  return result;
}

}  // namespace thallo
