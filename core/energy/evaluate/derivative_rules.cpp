#include "core/energy/evaluate/derivative_rules.h"

#include <cmath>

#include "core/base/error.h"

namespace thallo {
namespace {

// dy/dx of y = function(x), from both.
Rounded derivative(Op function, const Rounded& x, const Rounded& y) {
  switch (function) {
    case Op::Sqrt: return Rounded::factor(0.5) / y;
    case Op::Sin: return cos(x);
    case Op::Cos: return -sin(x);
    case Op::Tan: return 1 + y * y;
    case Op::Asin: return 1 / sqrt(1 - x * x);
    case Op::Acos: return -1 / sqrt(1 - x * x);
    case Op::Atan: return 1 / (1 + x * x);
    case Op::Sinh: return cosh(x);
    case Op::Cosh: return sinh(x);
    case Op::Tanh: return 1 - y * y;
    case Op::Asinh: return 1 / sqrt(x * x + 1);
    case Op::Acosh: return 1 / sqrt(x * x - 1);
    case Op::Atanh: return 1 / (1 - x * x);
    case Op::Exp: return y;
    case Op::Log: return 1 / x;
    case Op::Log10: return 1 / (x * std::log(10.0));
    case Op::Abs: return Rounded::factor(0 <= x.value ? 1 : -1);
    default: THALLO_UNREACHABLE();
  }
}

}  // namespace

Dual apply_function(Op function, const Dual& a) {
  const double value = evaluate(function, a.value.value);
  const Rounded y = applied(value, a.value, derivative(function, a.value, Rounded(value)).value);
  return chain(y, a, derivative(function, a.value, y));
}

Dual powi(const Dual& base, int exponent) {
  const double value = evaluate_powi(base.value.value, exponent);
  const Rounded by_base = Rounded(exponent) * pow(base.value, exponent - 1);
  return chain(applied(value, base.value, by_base.value), base, by_base);
}

Dual pow(const Dual& base, const Dual& exponent) {
  const double n = exponent.value.value;
  const Rounded by_base = n == 0 ? Rounded() : exponent.value * pow(base.value, n - 1);
  Rounded y = applied(std::pow(base.value.value, n), base.value, by_base.value);
  // The logarithm of a base that is not positive must not spoil a derivative that nobody asks for,
  // nor the limit at 0, which is 0.
  const bool has_limit = base.value.value == 0 && n > 0;
  if (has_limit || (exponent.partials.empty() && !(base.value.value > 0)))
    return chain(y, base, by_base);
  const Rounded by_exponent = log(base.value) * y;
  y.magnitude += carried(by_exponent.value, exponent.value.magnitude);
  return chain(y, base, by_base, exponent, by_exponent);
}

Dual atan2(const Dual& y, const Dual& x) {
  const Rounded r2 = x.value * x.value + y.value * y.value;
  const Rounded by_y = x.value / r2;
  const Rounded by_x = -y.value / r2;
  Rounded value = applied(std::atan2(y.value.value, x.value.value), y.value, by_y.value);
  value.magnitude += carried(by_x.value, x.value.magnitude);
  return chain(value, y, by_y, x, by_x);
}

}  // namespace thallo
