// Stored products that halves do not hold. A half ends at 65504; what is beyond becomes infinite
// where a schedule asks for halves (precision), and the linear solve then finds no step. Below
// 2^-14 halves are multiples of 2^-24.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/backend/backend.h"

namespace thallo {

inline constexpr double LargestHalf = 65504;
// What rounding to a half adds to its relative error 2^-11, where numbers are small.
inline constexpr double HalfUnderflow = 0x1p-25;

struct HalfOverflow {
  std::string product;  // "J", "JtJ" or "Jp"
  std::string part;     // of the schedule, or the Sum whose Jp it is
  std::int64_t num_values = 0;
  std::int64_t num_beyond = 0;  // those that are not finite
  // What is stored, by which directive, and what to choose in its place.
  std::string text() const;
};

// The first product in halves that holds a value that is not finite, as it was last computed.
std::optional<HalfOverflow> find_half_overflow(Executable& executable);

}  // namespace thallo
