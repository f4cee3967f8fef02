#include "core/kernel/power.h"

#include <bit>
#include <cmath>
#include <limits>

namespace thallo {

std::optional<RootPower> find_root_power(double exponent) {
  constexpr double LargestExponent = 64;
  const double size = std::abs(exponent);
  const double sixths = std::round(6 * size);
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * sixths;
  if (!(size <= LargestExponent) || std::abs(6 * size - sixths) > rounding) return {};
  const auto k = static_cast<int>(sixths);
  if (k % 6 == 0) return {};
  return RootPower{.whole = k / 6, .sixths = k % 6, .is_reciprocal = exponent < 0};
}

Flops flops_of_power(double exponent) {
  const std::optional<RootPower> power = find_root_power(exponent);
  const bool has_root = power && power->sixths == 3;
  const double size = std::abs(exponent);
  const bool is_integer = size == std::floor(size) && size <= std::numeric_limits<int>::max();
  if (!is_integer && !has_root) return {.transcendentals = 1};
  const auto n = static_cast<unsigned>(size);
  Flops flops;
  if (n > 1) flops.multiplies = static_cast<double>(std::bit_width(n)) + std::popcount(n) - 2;
  if (has_root && n > 0) ++flops.multiplies;
  flops.divisions = (has_root ? 1 : 0) + (exponent < 0 ? 1 : 0);
  return flops;
}

}  // namespace thallo
