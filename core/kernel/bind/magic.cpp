#include "core/kernel/bind/magic.h"

#include <bit>

namespace thallo {
namespace {

// 128-bit arithmetic is an extension of the compilers we build with.
__extension__ using Wide = unsigned __int128;

}  // namespace

// With 2^(shift-1) < divisor <= 2^shift and multiplier = ceil(2^(bits-1+shift) / divisor), the
// rounding error of the multiplier is below divisor / 2^(bits-1+shift) <= 2^-(bits-1), so that it
// moves n * multiplier by less than one unit in the last place of the quotient for n < 2^(bits-1).
MagicDivisor make_magic_divisor(std::uint64_t divisor, int bits) {
  if (divisor == 0) return {};
  const int shift = static_cast<int>(std::bit_width(divisor - 1));
  const Wide numerator = Wide{1} << (bits - 1 + shift);
  return {static_cast<std::uint64_t>((numerator + divisor - 1) / divisor),
          static_cast<std::uint64_t>(shift)};
}

std::uint64_t divide(std::uint64_t n, const MagicDivisor& divisor, int bits) {
  const Wide product = Wide{2} * n * divisor.multiplier;
  return static_cast<std::uint64_t>(product >> bits) >> divisor.shift;
}

}  // namespace thallo
