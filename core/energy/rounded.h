#pragma once

// A number with its *magnitude*: how large everything is that was rounded on the way to the number.
// A rounding error is measured against the magnitude. With every input and every operation rounded
// to the precision u,
//
//   |computed - value| <= u * magnitude * (a small factor that grows with the number of operations)
//
// to first order in u, in whatever order the terms of a sum are added and the factors of a product
// multiplied (products of sums that are multiplied out may be worse). A magnitude is the running
// error bound of Wilkinson (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
// SIAM 2002, section 3.3) without the counts of operations:
//
//   mag(input) = |input|        mag(a b) = |a| mag b + |b| mag a
//   mag(factor) = 0             mag(a + b) = max(mag a, |a|) + max(mag b, |b|)
//                               mag(f(a)) = |f(a)| + |f'(a)| mag a
//
// where a factor is 0 or plus or minus a power of two. Nothing is rounded in multiplying by it, but
// in a sum it counts like any term, because the order of the terms matters: 1 - 1 + 1e-6 is exact,
// 1 + 1e-6 - 1 is not. A magnitude is much larger than the value where terms cancel: that of
// 1000.5 - 1000 is 2000.5.

#include <algorithm>
#include <cmath>

namespace thallo {

struct Rounded {
  double value = 0;
  double magnitude = 0;

  Rounded() = default;
  Rounded(double input) : value(input), magnitude(std::abs(input)) {}  // NOLINT: an input
  Rounded(double number, double of_magnitude) : value(number), magnitude(of_magnitude) {}
  // `number` must be 0 or plus or minus a power of two.
  static Rounded factor(double number) { return {number, 0}; }
  // Returns a number that is written down in an energy: as a factor if possible, else as an input.
  static Rounded constant(double number) {
    int exponent = 0;
    return number == 0 || std::abs(std::frexp(number, &exponent)) == 0.5 ? factor(number)
                                                                         : Rounded(number);
  }

  Rounded& operator+=(const Rounded& b);
};

// Returns the magnitude of f(a) without its own rounding, from the slope of f at a and the
// magnitude of a. A number that is exact stays exact even if the slope is infinite (the root of 0).
inline double carried(double slope, double magnitude) {
  return magnitude == 0 ? 0 : std::abs(slope) * magnitude;
}
// Returns f(a), from its value and the slope of f at a.
inline Rounded applied(double value, const Rounded& a, double slope) {
  return {value, std::abs(value) + carried(slope, a.magnitude)};
}

inline Rounded operator+(const Rounded& a, const Rounded& b) {
  const auto as_term = [](const Rounded& term) {
    return std::max(term.magnitude, std::abs(term.value));
  };
  return {a.value + b.value, as_term(a) + as_term(b)};
}
inline Rounded operator-(const Rounded& a) { return {-a.value, a.magnitude}; }
inline Rounded operator-(const Rounded& a, const Rounded& b) { return a + -b; }
inline Rounded operator*(const Rounded& a, const Rounded& b) {
  return {a.value * b.value, carried(a.value, b.magnitude) + carried(b.value, a.magnitude)};
}
inline Rounded operator/(const Rounded& a, const Rounded& b) {
  const double value = a.value / b.value;
  return {value, carried(1 / b.value, a.magnitude) + carried(value / b.value, b.magnitude)};
}
inline Rounded& Rounded::operator+=(const Rounded& b) { return *this = *this + b; }

// Returns a + t (b - a), where 0 <= t < 1. An infinite b does not count at t = 0.
inline Rounded mix(const Rounded& a, const Rounded& b, const Rounded& t) {
  if (t.value == 0) return {a.value, a.magnitude + carried(b.value - a.value, t.magnitude)};
  return {(1 - t.value) * a.value + t.value * b.value, (1 - t.value) * a.magnitude +
                                                           t.value * b.magnitude +
                                                           carried(b.value - a.value, t.magnitude)};
}

inline Rounded sqrt(const Rounded& a) {
  const double value = std::sqrt(a.value);
  return applied(value, a, 0.5 / value);
}
inline Rounded sin(const Rounded& a) { return applied(std::sin(a.value), a, std::cos(a.value)); }
inline Rounded cos(const Rounded& a) { return applied(std::cos(a.value), a, std::sin(a.value)); }
inline Rounded sinh(const Rounded& a) { return applied(std::sinh(a.value), a, std::cosh(a.value)); }
inline Rounded cosh(const Rounded& a) { return applied(std::cosh(a.value), a, std::sinh(a.value)); }
inline Rounded log(const Rounded& a) { return applied(std::log(a.value), a, 1 / a.value); }
// Returns a to the power of an exponent that was not rounded.
inline Rounded pow(const Rounded& a, double exponent) {
  const double slope = exponent == 0 ? 0 : exponent * std::pow(a.value, exponent - 1);
  return applied(std::pow(a.value, exponent), a, slope);
}

}  // namespace thallo
