#pragma once

// Forward dual numbers: a value with its partial derivatives by numbered variables, sparse and
// ascending by variable, and a bound of the rounding in the value: what each operation rounds,
// carried on by the same chain rule (running error analysis, to first order).

#include <cstdint>
#include <utility>
#include <vector>

namespace thallo {

struct Dual {
  using Partial = std::pair<std::uint32_t, double>;  // variable, derivative

  double value = 0;
  double rounding = 0;  // in machine epsilons; constants and data are exact
  std::vector<Partial> partials;

  Dual() = default;
  Dual(double number) : value(number) {}  // NOLINT: a constant
  static Dual variable(double value, std::uint32_t variable);

  // partials += factor * those of `other`, rounding likewise; the value stays.
  void add_partials(const Dual& other, double factor);
};

// f(a) and f(a, b) by the chain rule, from the value of f, which was rounded, and its derivatives.
Dual chain(double value, const Dual& a, double da);
Dual chain(double value, const Dual& a, double da, const Dual& b, double db);

}  // namespace thallo
