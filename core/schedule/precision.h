#pragma once

// The precision of a solve. What is declared as ScalarType::Working is stored in the working
// precision, in which kernels compute unless they ask for double: it is double, or else float.
// Mixed is float whose programs ask for double where the answer is decided
// (core/kernel/mixed_precision.cpp).

#include <array>
#include <string_view>

namespace thallo {

enum class Precision { Float, Double, Mixed };
inline constexpr std::array AllPrecisions = {Precision::Float, Precision::Double, Precision::Mixed};

constexpr std::string_view to_string(Precision precision) {
  constexpr std::string_view Names[] = {"float", "double", "mixed"};
  return Names[static_cast<int>(precision)];
}

}  // namespace thallo
