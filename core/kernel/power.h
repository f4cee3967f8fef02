// How kernels compute x^n where n is a constant: by products of squares and of roots, which take a
// fraction of the time of pow().
#pragma once

#include <optional>

#include "core/kernel/features.h"

namespace thallo {

// x^whole * x^(sixths / 6), or 1 over that. The values of both factors lie between 1 and their
// product, so neither overflows alone.
struct RootPower {
  int whole = 0;   // >= 0
  int sixths = 0;  // 1 to 5
  bool is_reciprocal = false;

  friend auto operator<=>(const RootPower&, const RootPower&) = default;
};

// Finds the power for an exponent that is k/6 up to rounding, but no integer.
std::optional<RootPower> find_root_power(double exponent);

// The operations of x^exponent. Powers by cube roots count as one call, which a host makes.
Flops flops_of_power(double exponent);

}  // namespace thallo
