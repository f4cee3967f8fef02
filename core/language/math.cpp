// Real functions, element by element, and vectors. On plain Lua numbers they compute at once, so
// sqrt(2) stays a number of the text.

#include <cmath>

#include "core/language/functions.h"
#include "core/language/motions.h"
#include "core/language/operators.h"

namespace thallo::language {
namespace {

template <Op op>
int unary(Call& call) {
  if (call.is_number(1)) return call.push(evaluate(op, call.number(1)));
  Elements result = call.elements(1);
  for (ExprId& id : result.ids) id = call.graph().unary(op, id);
  return call.push(result);
}

template <Op op>
int binary(Call& call) {
  if (call.is_number(1) && call.is_number(2))
    return call.push(evaluate(op, call.number(1), call.number(2)));
  const Elements a = call.elements(1), b = call.elements(2);
  return call.push(call.combine(
      a, b, [](ExprGraph& graph, ExprId x, ExprId y) { return graph.binary(op, x, y); }));
}

template <Arithmetic operation>
int named_arithmetic(Call& call) {
  return apply_arithmetic(call, operation);
}

// exp(x), or exp(v, SE3).
int exponential(Call& call) {
  if (const auto motion = exponential_of_step(call)) return call.push(*motion);
  return unary<Op::Exp>(call);
}

// log(x), log(R) of a rotation or pose, or log(x, base) as Lua has it.
int logarithm(Call& call) {
  if (const auto step = logarithm_of_motion(call)) return call.push(*step);
  if (!call.has(2)) return unary<Op::Log>(call);
  const double base = static_cast<double>(
      call.is_number(2) ? call.number(2) : (call.fault_expected(2, "a number as base"), 0));
  if (call.is_number(1)) return call.push(std::log(call.number(1)) / std::log(base));
  Elements result = call.elements(1);
  ExprGraph& graph = call.graph();
  const ExprId scale = graph.constant(1 / std::log(base));
  for (ExprId& id : result.ids) id = graph.mul(scale, graph.unary(Op::Log, id));
  return call.push(result);
}

// Vector(a, b, ...): vectors and tables among the arguments are flattened in order.
int make_vector(Call& call) {
  Elements entries = call.elements(1, call.num_arguments(), "expressions as entries");
  if (entries.ids.empty()) call.fault("a vector has at least one entry");
  return call.push(Value(Vector{std::move(entries.ids)}));
}

// toexp(x): x as an expression.
int make_expression(Call& call) { return call.push(call.elements(1)); }

constexpr HostFunction MathFunctions[] = {
    {"Constant", &unary<Op::Freeze>},
    {"Sqrt", &unary<Op::Sqrt>},
    {"Vector", &make_vector},
    {"abs", &unary<Op::Abs>},
    {"acos", &unary<Op::Acos>},
    {"acosh", &unary<Op::Acosh>},
    {"add", &named_arithmetic<Arithmetic::Add>},
    {"asin", &unary<Op::Asin>},
    {"asinh", &unary<Op::Asinh>},
    {"atan", &unary<Op::Atan>},
    {"atan2", &binary<Op::Atan2>},
    {"atanh", &unary<Op::Atanh>},
    {"constant", &unary<Op::Freeze>},
    {"cos", &unary<Op::Cos>},
    {"cosh", &unary<Op::Cosh>},
    {"div", &named_arithmetic<Arithmetic::Div>},
    {"exp", &exponential},
    {"identity", &unary<Op::Identity>},
    {"log", &logarithm},
    {"log10", &unary<Op::Log10>},
    {"mul", &named_arithmetic<Arithmetic::Mul>},
    {"pow", &named_arithmetic<Arithmetic::Pow>},
    {"sin", &unary<Op::Sin>},
    {"sinh", &unary<Op::Sinh>},
    {"sqrt", &unary<Op::Sqrt>},
    {"sub", &named_arithmetic<Arithmetic::Sub>},
    {"tan", &unary<Op::Tan>},
    {"tanh", &unary<Op::Tanh>},
    {"toexp", &make_expression},
    {"unm", &negate},
};

}  // namespace

void add_math(lua_State* state) {
  add_functions(state, MathFunctions);
  lua_pushnumber(state, HUGE_VAL);
  lua_setfield(state, -2, "inf");
}

}  // namespace thallo::language
