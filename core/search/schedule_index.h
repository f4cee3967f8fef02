// Numbers of schedules in a space, and what people write for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "core/base/diagnostic.h"
#include "core/base/random.h"

namespace thallo {

// Spaces have more schedules than 64 bits can count.
using BigCount = boost::multiprecision::cpp_int;

// Returns a uniformly distributed number in [0, count); count > 0.
BigCount draw_below(Random& random, const BigCount& count);

// Returns `count` distinct numbers below `size`, ascending; all sets are equally likely. Returns
// all numbers if there are no more than `count`. The same seed gives the same numbers.
std::vector<BigCount> sample_indices(const BigCount& size, std::size_t count, std::uint64_t seed);

// The range of schedules [first, end) of a space.
struct IndexRange {
  BigCount first;
  BigCount end;
};

// Reads "12" (one schedule) or "0:10" (the first ten), optionally prefixed by the space's id,
// "s3f09ab771c24:12". Fails if the id differs from `space_id`, or if the range exceeds `size`, the
// size of the space.
Expected<IndexRange> parse_index_range(std::string_view text, std::string_view space_id,
                                       const BigCount& size);

// Returns "s3f09ab771c24:12", which parse_index_range() accepts for this space and rejects for all
// others.
std::string index_text(std::string_view space_id, const BigCount& index);

}  // namespace thallo
