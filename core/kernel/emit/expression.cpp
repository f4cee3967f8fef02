#include "core/kernel/emit/expression.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/kernel/emit/tile_text.h"
#include "core/kernel/tiles.h"

namespace thallo {
namespace {

// The C function of an op that is written as a call, without the float suffix; empty for the
// others.
std::string_view function_name(Op op) {
  if (op == Op::Abs) return "fabs";
  const OpInfo& op_info = info(op);
  const bool is_call = op_info.kind == OpKind::Root || op_info.kind == OpKind::Transcendental;
  return is_call ? op_info.text : std::string_view();
}

}  // namespace

ValueId ExpressionWriter::skip_identities(ValueId value) const {
  while (!is_named(value) && body_[value].kind == InstructionKind::Operation &&
         (body_[value].op == Op::Freeze || body_[value].op == Op::Identity)) {
    value = body_[value].operands[0];
  }
  return value;
}

Term ExpressionWriter::term(ValueId value) {
  value = skip_identities(value);
  if (is_named(value)) return Term{names_[value.index()], Precedence::Primary};
  const Instruction& instruction = body_[value];
  context_.mention_line(instruction.line);
  switch (instruction.kind) {
    case InstructionKind::Constant: {
      const bool negative = std::signbit(instruction.constant) && instruction.constant != 0;
      return Term{
          context_.literal(std::abs(instruction.constant), context_.is_double(instruction.type)),
          Precedence::Primary, negative};
    }
    case InstructionKind::Coordinate:
      THALLO_ASSERT(false, "coordinate of domain {} outside its loop", instruction.domain.value());
      break;
    case InstructionKind::Affine: return affine(instruction);
    case InstructionKind::Element: return element(instruction);
    case InstructionKind::MapLoad: return map_load(instruction);
    case InstructionKind::InRange:
      return Term{fmt::format("(uidx_t){} < (uidx_t){}",
                              term(instruction.operands[0]).in(Precedence::Unary),
                              context_.dim(instruction.dims[0])),
                  Precedence::Relational};
    case InstructionKind::Load: return load(instruction);
    case InstructionKind::ToReal:
      return number(instruction.operands[0], context_.is_double(instruction.type));
    case InstructionKind::Operation: return operation(instruction);
    case InstructionKind::Sample: return sample(instruction);
  }
  THALLO_UNREACHABLE();
}

Term ExpressionWriter::number(ValueId value, bool as_double) {
  value = skip_identities(value);
  const Instruction& instruction = body_[value];
  const auto real = real_name(as_double);
  if (instruction.kind == InstructionKind::Constant) {
    const bool negative = std::signbit(instruction.constant) && instruction.constant != 0;
    return Term{context_.literal(std::abs(instruction.constant), as_double), Precedence::Primary,
                negative};
  }
  if (instruction.type == ValueType::Bool) {
    return Term{fmt::format("{} ? {} : {}", term(value).in(Precedence::Or),
                            context_.literal(1, as_double), context_.literal(0, as_double)),
                Precedence::Ternary};
  }
  if (instruction.type == ValueType::Index || context_.is_double(instruction.type) != as_double) {
    return Term{fmt::format("({}){}", real, term(value).in(Precedence::Unary)), Precedence::Unary};
  }
  return term(value);
}

Term ExpressionWriter::condition(ValueId value) {
  value = skip_identities(value);
  const Instruction& instruction = body_[value];
  if (instruction.type == ValueType::Bool) return term(value);
  if (instruction.kind == InstructionKind::Constant) {
    return Term{instruction.constant != 0 ? "true" : "false", Precedence::Primary};
  }
  const bool as_double = context_.is_double(instruction.type);
  return Term{fmt::format("{} != {}", number(value, as_double).in(Precedence::Relational),
                          context_.literal(0, as_double)),
              Precedence::Equality};
}

Term ExpressionWriter::affine(const Instruction& instruction) {
  std::vector<Term> terms;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const std::int64_t coefficient = instruction.coefficients[i];
    const Term operand = term(instruction.operands[i]);
    if (coefficient == 1) {
      terms.push_back(operand);
    } else if (coefficient == -1) {
      terms.push_back(Term{operand.in(Precedence::Product), Precedence::Product, true});
    } else {
      terms.push_back(
          Term{fmt::format("{} * {}", std::abs(coefficient), operand.in(Precedence::Unary)),
               Precedence::Product, coefficient < 0});
    }
  }
  if (instruction.offset != 0 || terms.empty()) {
    terms.push_back(Term{fmt::format("{}", std::abs(instruction.offset)), Precedence::Primary,
                         instruction.offset < 0});
  }
  return terms.size() == 1 ? terms[0] : join_sum(std::move(terms));
}

Term ExpressionWriter::element(const Instruction& instruction) {
  if (instruction.operands.empty()) return Term{"0", Precedence::Primary};
  std::size_t k = instruction.operands.size() - 1;
  Term result = term(instruction.operands[k]);
  while (k-- > 0) {
    std::vector<Term> terms = {term(instruction.operands[k]),
                               Term{fmt::format("{} * {}", context_.dim(instruction.dims[k]),
                                                result.in(Precedence::Unary)),
                                    Precedence::Product}};
    result = join_sum(std::move(terms));
  }
  return result;
}

Term ExpressionWriter::map_load(const Instruction& instruction) {
  const std::size_t num_outputs = context_.program().maps[instruction.map.index()].out.size();
  const Term at = term(instruction.operands[0]);
  std::string index = at.in(Precedence::Ternary);
  if (num_outputs > 1) index = fmt::format("{} * {}", num_outputs, at.in(Precedence::Unary));
  if (instruction.output > 0) index += fmt::format(" + {}", instruction.output);
  std::string text = fmt::format("{}[{}]", context_.map(instruction.map), index);
  const std::string guard = guard_of(instruction);
  if (guard.empty()) return Term{std::move(text), Precedence::Primary};
  return Term{fmt::format("{} ? {} : -1", guard, text), Precedence::Ternary};
}

// The condition of a guarded load; empty where it is known to hold.
std::string ExpressionWriter::guard_of(const Instruction& load) {
  if (load.operands.size() < 2) return "";
  const std::string guard = condition(load.operands[1]).in(Precedence::Or);
  return guard == "true" ? "" : guard;
}

std::string ExpressionWriter::access(FieldId field, ValueId element, int channel) {
  const std::string name = context_.field(field);
  if (field == context_.program().state) {
    const std::string slot = context_.state_slot(channel);
    if (!element.valid()) return fmt::format("{}[{}]", name, slot);
    return fmt::format("{}[{} * {} + {}]", name, num_state_slots,
                       term(element).in(Precedence::Unary), slot);
  }
  if (context_.in_lanes()) return context_.lanes_of(field) + "[lane]";
  const ChannelPlace place = layout_.place(field, channel);
  const std::string at =
      element.valid() ? position(place, element,
                                 place.chunk.valid() ? Precedence::Product : Precedence::Ternary)
                      : std::to_string(place.of(0));
  if (!place.chunk.valid()) return fmt::format("{}[{}]", name, at);
  return fmt::format("{}[{} + {}]", name, context_.chunk(place.chunk), at);
}

std::string ExpressionWriter::vector_access(FieldId field, ValueId element, const VectorUnit& unit,
                                            const std::string& type) {
  ChannelPlace place = layout_.place(field, unit.first);
  place.stride /= unit.width;
  place.first /= unit.width;
  std::string begin = context_.field(field);
  if (place.chunk.valid()) begin = fmt::format("({} + {})", begin, context_.chunk(place.chunk));
  return fmt::format("(({}*){})[{}]", type, begin, position(place, element, Precedence::Ternary));
}

std::string ExpressionWriter::matrix_index(const MatrixRow& row) {
  const std::string offset = context_.offset(row.unknown);
  const ChannelPlace place = layout_.column(row.unknown, row.channel);
  if (row.element.valid())
    return fmt::format("{} + {}", offset, position(place, row.element, Precedence::Product));
  return place.of(0) == 0 ? offset : fmt::format("{} + {}", offset, place.of(0));
}

// stride * element + first. Where that is the element alone, the text binds as tightly as `alone`.
std::string ExpressionWriter::position(const ChannelPlace& place, ValueId element,
                                       Precedence alone) {
  const Term at = term(element);
  if (place.stride == 1 && place.first == 0) return at.in(alone);
  std::string text = place.stride == 1
                         ? at.in(Precedence::Product)
                         : fmt::format("{} * {}", place.stride, at.in(Precedence::Unary));
  if (place.first > 0) text += fmt::format(" + {}", place.first);
  return text;
}

// The name of a window stands for where element 0 of its field would be.
Term ExpressionWriter::window(const Instruction& load) {
  std::vector<Term> terms;
  for (const ValueId component : window_index(body_, load)) {
    const Term at = term(component);
    terms.push_back(
        terms.empty()
            ? at
            : Term{fmt::format("{} * {}", window_pitch(context_, body_, load.window, terms.size()),
                               at.in(Precedence::Unary)),
                   Precedence::Product});
  }
  const Term at = terms.size() == 1 ? terms[0] : join_sum(std::move(terms));
  return Term{fmt::format("{}[{}]", window_name(load.window), at.in(Precedence::Ternary)),
              Precedence::Primary};
}

Term ExpressionWriter::load(const Instruction& instruction) {
  EmitContext& context = context_;
  if (uses_.reads_window(instruction)) return window(instruction);
  std::string text;
  bool memory_is_double = true;
  bool memory_is_real = true;
  if (is_param(context.program(), instruction.field)) {
    text = context.param(instruction.field);
  } else {
    const ValueId at = instruction.operands.empty() ? ValueId() : instruction.operands[0];
    text = context.holds_state() && instruction.field == context.program().state && !at.valid()
               ? context_.held(instruction.channel)
               : access(instruction.field, at, instruction.channel);
    const ScalarType memory = context.memory(instruction.field);
    if (memory == ScalarType::Half) text = from_half(text);
    memory_is_double = memory == ScalarType::Double;
    memory_is_real = memory_is_double || memory == ScalarType::Float || memory == ScalarType::Half;
  }
  const bool as_double = context.is_double(instruction.type);
  const bool is_bool = instruction.type == ValueType::Bool;
  const bool converts = !is_bool && (!memory_is_real || memory_is_double != as_double);
  // An integer is converted after the guard: then a compiler sees that an integer is compared.
  const bool converts_last = converts && !memory_is_real;
  Precedence precedence = Precedence::Primary;
  const auto convert = [&] {
    text = fmt::format("({}){}", real_name(as_double), text);
    precedence = Precedence::Unary;
  };
  if (is_bool) {
    text += " != 0";
    precedence = Precedence::Equality;
  } else if (converts && !converts_last) {
    convert();
  }
  if (const std::string guard = guard_of(instruction); !guard.empty()) {
    const std::string zero = is_bool         ? "false"
                             : converts_last ? "0"
                                             : context.literal(0, as_double);
    text = fmt::format("{} ? {} : {}", guard, text, zero);
    if (converts_last) text = "(" + text + ")";
    precedence = Precedence::Ternary;
  }
  if (converts_last) convert();
  return Term{std::move(text), precedence};
}

Term ExpressionWriter::sample(const Instruction& instruction) {
  const bool as_double = context_.real_is_double();
  const SampleKind kind = instruction.dims.size() == 3 ? SampleKind::Layer : SampleKind::Image;
  std::string arguments = context_.field(instruction.field);
  for (const DimId dim : instruction.dims) arguments += ", " + context_.dim(dim);
  arguments +=
      fmt::format(", {}, {}", layout_.place(instruction.field, 0).stride, instruction.channel);
  for (const ValueId operand : instruction.operands)
    arguments += ", " + number(operand, as_double).in(Precedence::Ternary);
  return Term{
      fmt::format("{}({})",
                  context_.helpers().sample_function(kind, context_.memory(instruction.field)),
                  arguments),
      Precedence::Primary};
}

Term ExpressionWriter::call(std::string_view function, const Instruction& instruction,
                            bool as_double) {
  std::string arguments;
  for (const ValueId operand : instruction.operands) {
    if (!arguments.empty()) arguments += ", ";
    const bool is_summed = is_vectorized_ && instruction.op == Op::Cos;
    arguments += number(operand, as_double).in(is_summed ? Precedence::Sum : Precedence::Ternary);
  }
  std::string name = fmt::format("{}{}", function, as_double ? "" : "f");
  const bool is_trigonometric = instruction.op == Op::Sin || instruction.op == Op::Cos;
  if (context_.cuda() && !as_double && is_trigonometric) {
    context_.helpers().use_trigonometry();
    name = instruction.op == Op::Sin ? FastSine : FastCosine;
  }
  if (is_vectorized_ && info(instruction.op).kind == OpKind::Transcendental) {
    context_.helpers().use_vector_function(instruction.op, as_double);
    // Of another argument than the sine's: gcc computes both of one by a function that has no
    // vector variant. The cosine of -0 is that of 0.
    if (instruction.op == Op::Cos) arguments += " + " + context_.literal(0, as_double);
  }
  if (context_.shares_functions() && info(instruction.op).kind == OpKind::Transcendental)
    name = context_.helpers().shared_function(name, instruction.operands.size(), as_double);
  return Term{fmt::format("{}({})", name, arguments), Precedence::Primary};
}

Term ExpressionWriter::sum(const Instruction& instruction, bool as_double) {
  std::vector<Term> terms;
  for (const ValueId operand : instruction.operands) terms.push_back(number(operand, as_double));
  return join_sum(std::move(terms));
}

Term ExpressionWriter::product(const Instruction& instruction, bool as_double) {
  bool negative = false;
  std::vector<Term> factors;
  std::vector<Term> divisors;
  for (ValueId operand : instruction.operands) {
    operand = skip_identities(operand);
    const Instruction& factor = body_[operand];
    const bool is_reciprocal = !is_named(operand) && factor.kind == InstructionKind::Operation &&
                               factor.op == Op::PowI && factor.exponent < 0 &&
                               context_.is_double(factor.type) == as_double &&
                               !uses_.rsqrt_argument(factor).valid();
    if (is_reciprocal) {
      divisors.push_back(
          powers_of(number(factor.operands[0], as_double), -factor.exponent, as_double));
      continue;
    }
    if (factor.kind == InstructionKind::Constant && std::abs(factor.constant) == 1) {
      negative ^= factor.constant < 0;
      continue;
    }
    factors.push_back(number(operand, as_double));
    negative ^= factors.back().negative;
  }
  if (factors.empty()) factors.push_back(Term{context_.literal(1, as_double), Precedence::Primary});
  if (factors.size() == 1 && divisors.empty()) {
    return Term{factors[0].text, factors[0].precedence, negative};
  }
  std::string text;
  for (const Term& factor : factors) {
    text += text.empty() ? factor.magnitude_in(Precedence::Product)
                         : " * " + factor.magnitude_in(Precedence::Unary);
  }
  if (divisors.size() == 1) {
    text += " / " + divisors[0].in(Precedence::Unary);
  } else if (!divisors.empty()) {
    std::string divisor;
    for (const Term& d : divisors)
      divisor += (divisor.empty() ? "" : " * ") + d.in(Precedence::Product);
    text += fmt::format(" / ({})", divisor);
  }
  return Term{std::move(text), Precedence::Product, negative};
}

Term ExpressionWriter::comparison(const Instruction& instruction) {
  // The comparison is in double only where no Real operand takes part.
  bool as_double = true;
  bool any_number = false;
  for (const ValueId operand : instruction.operands) {
    const Instruction& value = body_[skip_identities(operand)];
    if (value.kind == InstructionKind::Constant || value.type == ValueType::Bool) continue;
    any_number = true;
    as_double = as_double && context_.is_double(value.type);
  }
  if (!any_number) as_double = context_.real_is_double();
  const bool equality = instruction.op == Op::Eq;
  const char* sign = equality ? "==" : instruction.op == Op::Less ? "<" : "<=";
  return Term{
      fmt::format("{} {} {}", number(instruction.operands[0], as_double).in(Precedence::Sum), sign,
                  number(instruction.operands[1], as_double).in(Precedence::Sum)),
      equality ? Precedence::Equality : Precedence::Relational};
}

Term ExpressionWriter::operation(const Instruction& instruction) {
  const bool as_double = context_.is_double(instruction.type);
  const bool is_bool = instruction.type == ValueType::Bool;
  if (instruction.op == Op::Pow) return real_power(instruction, as_double);
  if (const std::string_view function = function_name(instruction.op); !function.empty())
    return call(function, instruction, as_double);
  switch (instruction.op) {
    case Op::Add: return sum(instruction, as_double);
    case Op::Mul: {
      if (!is_bool) return product(instruction, as_double);
      std::string text;
      for (const ValueId operand : instruction.operands) {
        if (!text.empty()) text += is_vectorized_ ? " & " : " && ";
        text += condition(operand).in(is_vectorized_ ? Precedence::Unary : Precedence::And);
      }
      return Term{std::move(text), Precedence::And};
    }
    case Op::PowI: return power(instruction, as_double);
    case Op::Less:
    case Op::LessEq:
    case Op::Eq: return comparison(instruction);
    case Op::Not:
      return Term{"!" + condition(instruction.operands[0]).in(Precedence::Unary),
                  Precedence::Unary};
    case Op::Or: {
      // Conjunctions get parentheses, without which compilers warn.
      const Precedence inner = is_vectorized_ ? Precedence::Unary : Precedence::Equality;
      return Term{
          fmt::format("{} {} {}", condition(instruction.operands[0]).in(inner),
                      is_vectorized_ ? "|" : "||", condition(instruction.operands[1]).in(inner)),
          Precedence::Or};
    }
    case Op::Select: {
      const auto side = [&](ValueId value) {
        return (is_bool ? condition(value) : number(value, as_double)).in(Precedence::Or);
      };
      return Term{fmt::format("{} ? {} : {}", condition(instruction.operands[0]).in(Precedence::Or),
                              side(instruction.operands[1]), side(instruction.operands[2])),
                  Precedence::Ternary};
    }
    default: break;  // the other ops are calls, above, or no operations
  }
  THALLO_ASSERT(false, "op '{}' is not an operation", info(instruction.op).text);
  return {};
}

}  // namespace thallo
