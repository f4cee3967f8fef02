// Finds stored products that overflow half precision. If a schedule stores a product in halves
// (r.fit.J:precision("half")), a value beyond 65504 becomes infinite and the linear solve finds no
// step. Below 2^-14, halves are multiples of 2^-24.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/backend/backend.h"

namespace thallo {

inline constexpr double LargestHalf = 65504;
// The absolute error of rounding a number below 2^-14 to a half; larger numbers have the relative
// error 2^-11.
inline constexpr double HalfUnderflow = 0x1p-25;

struct HalfOverflow {
  std::string product;  // "J", "JtJ" or "Jp"
  std::string part;     // the part or the Sum that the product belongs to
  std::int64_t num_values = 0;
  std::int64_t num_beyond = 0;  // values that are not finite
  // Returns a sentence that says what is stored, by which directive, and what to choose instead.
  std::string text() const;
};

// Returns the first product in halves whose last computed values are not all finite; absent if
// there is none.
std::optional<HalfOverflow> find_half_overflow(Executable& executable);

}  // namespace thallo
