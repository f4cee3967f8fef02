#pragma once

// Division by a number that is known when a kernel is launched but not when it is compiled. A
// thread finds its multi-index by dividing by extents; a hardware division by a run-time value
// costs dozens of instructions, a multiplication and a shift cost two. The host computes the
// divisor's multiplier and shift once per launch:
//
//   n / divisor == high_half(2 n * multiplier) >> shift        for 0 <= n < 2^(bits-1)
//
// with `bits` the width of the index (32 or 64) and high_half the upper `bits` of the product.

#include <cstdint>

namespace thallo {

struct MagicDivisor {
  std::uint64_t multiplier = 0;  // below 2^bits
  std::uint64_t shift = 0;       // below bits
};

// 1 <= divisor < 2^(bits-1). A divisor of 0 (an empty domain, never divided by) gives {0, 0}.
MagicDivisor make_magic_divisor(std::uint64_t divisor, int bits);

// Returns the quotient in the way the emitted code computes it.
std::uint64_t divide(std::uint64_t n, const MagicDivisor& divisor, int bits);

}  // namespace thallo
