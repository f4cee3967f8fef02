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

// From 0 to below `count`, all equally likely; count > 0.
BigCount draw_below(Random& random, const BigCount& count);

// `count` numbers below `size`, ascending and without repetition, all sets equally likely; all
// numbers if there are no more. The same seed gives the same numbers.
std::vector<BigCount> sample_indices(const BigCount& size, std::size_t count, std::uint64_t seed);

// The schedules `first` to `end` of a space, without `end`.
struct IndexRange {
  BigCount first;
  BigCount end;
};

// Reads "12" (one schedule) or "0:10" (the first ten), with or without the space's id in front,
// "s3f09ab771c24:12". Fails when the id is that of another space than `space_id`, and when the
// schedules are not among the `size` of the space.
Expected<IndexRange> parse_index_range(std::string_view text, std::string_view space_id,
                                       const BigCount& size);

// "s3f09ab771c24:12", which parse_index_range() reads in this space and refuses in all others.
std::string index_text(std::string_view space_id, const BigCount& index);

}  // namespace thallo
