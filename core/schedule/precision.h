#pragma once

// The working precision of a program: the type of what is declared as ScalarType::Working, and of
// what kernels compute with unless they ask for double.

#include <string_view>

namespace thallo {

enum class Precision { Float, Double };

constexpr std::string_view to_string(Precision precision) {
  return precision == Precision::Double ? "double" : "float";
}

}  // namespace thallo
