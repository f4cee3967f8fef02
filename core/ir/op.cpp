#include "core/ir/op.h"

#include <array>
#include <cmath>

#include "core/base/error.h"

namespace thallo {

const OpInfo& info(Op op) {
  static constexpr std::array table = {
#define THALLO_OP_ROW(name, kind, text, operands, boolean) \
  OpInfo{Op::name, OpKind::kind, #name, text, operands, boolean},
      THALLO_FOR_EACH_OP(THALLO_OP_ROW)
#undef THALLO_OP_ROW
  };
  return table[static_cast<std::size_t>(op)];
}

double evaluate(Op op, double a, double b, double c) {
  switch (op) {
    case Op::Pow: return std::pow(a, b);
    case Op::Sqrt: return std::sqrt(a);
    case Op::Sin: return std::sin(a);
    case Op::Cos: return std::cos(a);
    case Op::Tan: return std::tan(a);
    case Op::Asin: return std::asin(a);
    case Op::Acos: return std::acos(a);
    case Op::Atan: return std::atan(a);
    case Op::Atan2: return std::atan2(a, b);
    case Op::Sinh: return std::sinh(a);
    case Op::Cosh: return std::cosh(a);
    case Op::Tanh: return std::tanh(a);
    case Op::Asinh: return std::asinh(a);
    case Op::Acosh: return std::acosh(a);
    case Op::Atanh: return std::atanh(a);
    case Op::Exp: return std::exp(a);
    case Op::Log: return std::log(a);
    case Op::Log10: return std::log10(a);
    case Op::Abs: return std::abs(a);
    case Op::Less: return a < b ? 1 : 0;
    case Op::LessEq: return a <= b ? 1 : 0;
    case Op::Eq: return a == b ? 1 : 0;
    case Op::Not: return a == 0 ? 1 : 0;
    case Op::Or: return a != 0 || b != 0 ? 1 : 0;
    case Op::Select: return a != 0 ? b : c;
    case Op::Freeze:
    case Op::Identity: return a;
    case Op::Constant:
    case Op::Access:
    case Op::InBounds:
    case Op::IndexValue:
    case Op::Argument:
    case Op::Sample:
    case Op::SampleLayer:
    case Op::Sum:
    case Op::Add:
    case Op::Mul:
    case Op::PowI: break;
  }
  THALLO_UNREACHABLE();
}

double evaluate_powi(double x, int n) {
  const bool reciprocal = n < 0;
  double result = 1;
  for (unsigned k = static_cast<unsigned>(reciprocal ? -n : n); k != 0; k >>= 1) {
    if (k & 1u) result *= x;
    x *= x;
  }
  return reciprocal ? 1 / result : result;
}

}  // namespace thallo
