// Finds stored products that overflow half precision. Where a schedule keeps a product in halves
// (r.fit.J:precision("half")), a value beyond 65504 becomes infinite and the linear solve finds no
// step. Below 2^-14 halves are multiples of 2^-24.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/backend/backend.h"

namespace thallo {

inline constexpr double LargestHalf = 65504;
// The absolute error of rounding a small number (below 2^-14) to a half; that of larger ones is
// relative, 2^-11.
inline constexpr double HalfUnderflow = 0x1p-25;

struct HalfOverflow {
  std::string product;  // "J", "JtJ" or "Jp"
  std::string part;     // the part of the schedule, or the Sum, whose product it is
  std::int64_t num_values = 0;
  std::int64_t num_beyond = 0;  // values that are not finite
  // A sentence: what is stored, by which directive, and what to choose in its place.
  std::string text() const;
};

// The first product in halves, as last computed, that holds a value that is not finite; absent when
// there is none.
std::optional<HalfOverflow> find_half_overflow(Executable& executable);

}  // namespace thallo
