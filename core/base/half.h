#pragma once

// The 16-bit floating-point number of IEEE 754 (binary16): 11 significant bits (fewer below 6.1e-5)
// and magnitudes from 6e-8 to 65504. It only stores: arithmetic converts it first. Conversions go
// through float and round to nearest, ties to even; from 65504 + 16 on they give infinity.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace thallo {

class Half {
 public:
  Half() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  explicit Half(T value) : bits_(round(static_cast<float>(value))) {}
  template <class T>
  requires std::is_arithmetic_v<T>
  explicit operator T() const { return static_cast<T>(value()); }

 private:
  static std::uint16_t round(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000U;
    const float magnitude = std::abs(value);
    std::uint32_t result = 0x7e00;  // NaN
    if (magnitude >= 65520.0F) {
      result = 0x7c00;
    } else if (magnitude < 0x1p-14F) {
      result = static_cast<std::uint32_t>(std::nearbyint(magnitude * 0x1p24F));
    } else if (!std::isnan(value)) {
      const std::uint32_t exact = bits & 0x7fffffffU;
      // Rounds 13 bits of the fraction away and changes the exponent's bias from 127 to 15; a carry
      // of the rounding may go into the exponent.
      result = ((exact + 0xfffU + ((exact >> 13) & 1U)) >> 13) - (112U << 10);
    }
    return static_cast<std::uint16_t>(sign | result);
  }

  float value() const {
    const int exponent = (bits_ >> 10) & 0x1f;
    const int fraction = bits_ & 0x3ff;
    float magnitude = std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
    if (exponent == 0) magnitude = std::ldexp(static_cast<float>(fraction), -24);
    if (exponent == 0x1f) {
      magnitude = fraction == 0 ? std::numeric_limits<float>::infinity()
                                : std::numeric_limits<float>::quiet_NaN();
    }
    return (bits_ & 0x8000) != 0 ? -magnitude : magnitude;
  }

  std::uint16_t bits_ = 0;
};

}  // namespace thallo
