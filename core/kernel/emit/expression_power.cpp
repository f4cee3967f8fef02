// The powers of ExpressionWriter.
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "core/kernel/emit/expression.h"

namespace thallo {

// base^exponent for exponent >= 1.
Term ExpressionWriter::powers_of(const Term& base, int exponent, bool as_double) {
  if (exponent == 1) return base;
  if (exponent <= 3) {
    const std::string factor = base.in(Precedence::Unary);
    std::string text = fmt::format("{} * {}", factor, factor);
    if (exponent == 3) text += " * " + factor;
    return Term{std::move(text), Precedence::Product};
  }
  return Term{fmt::format("{}({})", context_.helpers().power_function(exponent, as_double),
                          base.in(Precedence::Ternary)),
              Precedence::Primary};
}

Term ExpressionWriter::power(const Instruction& instruction, bool as_double) {
  const int exponent = instruction.exponent;
  if (exponent == 0) return Term{context_.literal(1, as_double), Precedence::Primary};
  if (const ValueId argument = uses_.rsqrt_argument(instruction); argument.valid()) {
    const Term root = Term{fmt::format("rsqrt{}({})", as_double ? "" : "f",
                                       number(argument, as_double).in(Precedence::Ternary)),
                           Precedence::Primary};
    if (exponent == -1) return root;
    return Term{
        fmt::format("{}({})", context_.helpers().power_function(-exponent, as_double), root.text),
        Precedence::Primary};
  }
  const Term factors =
      powers_of(number(instruction.operands[0], as_double), std::abs(exponent), as_double);
  if (exponent > 0) return factors;
  return Term{fmt::format("{} / {}", context_.literal(1, as_double), factors.in(Precedence::Unary)),
              Precedence::Product};
}

// A host takes longer for a cube root or exp2f than for pow, which has vector variants.
Term ExpressionWriter::real_power(const Instruction& instruction, bool as_double) {
  const Instruction& base = body_[skip_identities(instruction.operands[0])];
  const Instruction& exponent = body_[skip_identities(instruction.operands[1])];
  const auto argument = [&](std::size_t operand) {
    return number(instruction.operands[operand], as_double).in(Precedence::Ternary);
  };
  if (exponent.kind == InstructionKind::Constant) {
    const std::optional<RootPower> power = find_root_power(exponent.constant);
    if (power && (power->sixths == 3 || context_.cuda())) {
      const std::string text = fmt::format(
          "{}({})", context_.helpers().root_power_function(*power, as_double), argument(0));
      if (!power->is_reciprocal) return Term{text, Precedence::Primary};
      return Term{fmt::format("{} / {}", context_.literal(1, as_double), text),
                  Precedence::Product};
    }
  }
  if (context_.cuda() && base.kind == InstructionKind::Constant && base.constant == 2)
    return Term{fmt::format("exp2{}({})", as_double ? "" : "f", argument(1)), Precedence::Primary};
  return call("pow", instruction, as_double);
}

}  // namespace thallo
