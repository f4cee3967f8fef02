#pragma once

// Forward dual numbers: a value with its partial derivatives by numbered variables, sparse and
// ascending by variable. The value and each derivative have a magnitude, against which their
// rounding errors are measured (core/energy/rounded.h).

#include <cstdint>
#include <utility>
#include <vector>

#include "core/energy/rounded.h"

namespace thallo {

struct Dual {
  using Partial = std::pair<std::uint32_t, Rounded>;  // variable, derivative

  Rounded value;
  std::vector<Partial> partials;

  Dual() = default;
  Dual(const Rounded& constant) : value(constant) {}  // NOLINT: without partials
  static Dual variable(double value, std::uint32_t variable);

  // Computes partials += factor * those of `other`; the value is unchanged.
  void add_partials(const Dual& other, const Rounded& factor);
};

Dual operator*(const Dual& a, const Dual& b);

// Computes f(a) or f(a, b) by the chain rule: `value` is the value of f; da and db are its
// derivatives by a and b.
Dual chain(const Rounded& value, const Dual& a, const Rounded& da);
Dual chain(const Rounded& value, const Dual& a, const Rounded& da, const Dual& b,
           const Rounded& db);

}  // namespace thallo
