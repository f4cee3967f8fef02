#pragma once

// Lists of the points and blocks that meet somewhere: the inverse of a sparse map, and the blocks
// of a sparse matrix.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace thallo {

// The inverse of a sparse map from one dim: for every element of its target the points that the map
// sends there, in ascending order, as a compressed list.
struct CompressedInverse {
  // The points of element i are points[offsets[i]] up to, not including, points[offsets[i + 1]].
  std::vector<std::int32_t> offsets;  // one per element, and the end
  std::vector<std::int32_t> points;   // zeros after the last element's
};

// Values outside [0, num_elements), the missing ones of an optional map, are left out.
CompressedInverse invert(std::span<const std::int32_t> values, std::int64_t num_elements);

// Blocks by row and column, each once, sorted by row, then column.
struct BlockList {
  std::vector<std::int32_t> rows, cols;  // elements, by block
  // Of each pair that the blocks were found of; -1 if one of its elements is outside.
  std::vector<std::int32_t> block_of;
};
// `rows` and `cols` are pairs of elements; both are -1 where one is outside. `between` is called
// from time to time.
BlockList find_blocks(std::span<const std::int32_t> rows, std::span<const std::int32_t> cols,
                      std::int64_t num_rows, std::int64_t num_cols,
                      const std::function<void()>& between = {});

// The pairs of a block of one list and one of another that are in one column: of one list, each
// pair of two different blocks once, the later one first. They are sorted by the row of the first
// block, then by that of the second. `between` is called from time to time.
struct BlockPairs {
  std::vector<std::int32_t> first, second;
};
BlockPairs pair_blocks(const BlockList& first, const BlockList& second, std::int64_t num_cols,
                       std::int64_t num_second_rows, const std::function<void()>& between = {});

// Returns the coordinates of elements over dims of these extents, the first dim fastest.
std::vector<std::int32_t> coordinates_of(std::span<const std::int32_t> elements,
                                         std::span<const std::int64_t> extents);
// Returns the values at these places.
std::vector<std::int32_t> picked(std::span<const std::int32_t> values,
                                 std::span<const std::int32_t> places);

}  // namespace thallo
