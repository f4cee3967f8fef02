#include "core/language/operators.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/language/environment.h"
#include "core/language/motions.h"
#include "core/language/reads.h"

namespace thallo::language {
namespace {

// Integer exponents up to this magnitude become powi, larger ones pow.
constexpr double MaxIntegerPower = 1024;

const char* symbol(Arithmetic operation) {
  switch (operation) {
    case Arithmetic::Add: return "+";
    case Arithmetic::Sub: return "-";
    case Arithmetic::Mul: return "*";
    case Arithmetic::Div: return "/";
    case Arithmetic::Pow: return "^";
  }
  THALLO_UNREACHABLE();
}

double apply(Arithmetic operation, double a, double b) {
  switch (operation) {
    case Arithmetic::Add: return a + b;
    case Arithmetic::Sub: return a - b;
    case Arithmetic::Mul: return a * b;
    case Arithmetic::Div: return a / b;
    case Arithmetic::Pow: return std::pow(a, b);
  }
  THALLO_UNREACHABLE();
}

// An operand of index arithmetic: an index, or an integer as one constant component.
std::vector<Affine> index_operand(Call& call, int i, Arithmetic operation) {
  if (const auto* index = call.find<IndexTuple>(i)) return index->components;
  if (!call.is_number(i))
    call.fault(
        "'{}' of {} and {}: an index takes integers and indices; the number of an index x is "
        "x:asvalue()",
        symbol(operation), call.describe(1), call.describe(2));
  return {IndexTable::component(call.integer(i, "an integer beside an index"))};
}

int index_arithmetic(Call& call, Arithmetic operation) {
  const std::vector<Affine> a = index_operand(call, 1, operation);
  const std::vector<Affine> b = index_operand(call, 2, operation);
  if (a.size() != b.size())
    call.fault("'{}' of indices with {} and {} coordinates", symbol(operation), a.size(), b.size());
  const auto is_large = [](std::int64_t value) {
    return value < -MaxInteger || value > MaxInteger;
  };
  IndexTuple result;
  const IndexTable& table = call.graph().indices();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (operation == Arithmetic::Add || operation == Arithmetic::Sub) {
      result.components.push_back(table.add(a[i], b[i], operation == Arithmetic::Add ? 1 : -1));
    } else if (operation == Arithmetic::Mul && a[i].is_constant()) {
      result.components.push_back(IndexTable::scale(b[i], a[i].constant));
    } else if (operation == Arithmetic::Mul && b[i].is_constant()) {
      result.components.push_back(IndexTable::scale(a[i], b[i].constant));
    } else {
      call.fault(
          "'{}' is not defined here: an index is a sum of integer multiples of loop variables; the "
          "number of an index x is x:asvalue()",
          symbol(operation));
    }
    const Affine& made = result.components.back();
    if (is_large(made.constant) ||
        std::ranges::any_of(made.terms, is_large, &AffineTerm::coefficient))
      call.fault("'{}' makes an index with a number beyond {}", symbol(operation), MaxInteger);
  }
  return call.push(Value(std::move(result)));
}

template <Arithmetic operation>
int arithmetic(Call& call) {
  return apply_arithmetic(call, operation);
}

int refuse_order(Call& call) {
  throw Stop{fmt::format(
      "{} cannot be compared with {} by <, <=, > or >=: the values are known only while the "
      "solver runs. Use less(a, b), lesseq(a, b), greater(a, b) or greatereq(a, b), e.g. in "
      "Select(less(a, b), u, v)",
      call.describe(1), call.describe(2))};
}

// Operators of Lua that have no meaning for values of the language.
int refuse_operator(Call& call) {
  struct Operator {
    std::string_view name, symbol, instead;
  };
  constexpr std::string_view Logic = "conditions are joined by And(a, b), Or(a, b) and Not(a)";
  constexpr std::string_view Shift = "numbers of Lua alone are shifted";
  constexpr Operator operators[] = {
      {"__mod", "%", "numbers of Lua alone have a remainder"},
      {"__idiv", "//", "a / b divides, and does not round"},
      {"__band", "&", Logic},
      {"__bor", "|", Logic},
      {"__bxor", "~", Logic},
      {"__bnot", "~", Logic},
      {"__shl", "<<", Shift},
      {"__shr", ">>", Shift},
      {"__concat", "..", "tostring(a) is what a is called"},
      {"__len", "#", "a vector has v:size() entries"},
  };
  const auto* const found =
      std::ranges::find(operators, std::string_view(call.name()), &Operator::name);
  call.fault("'{}' has no meaning for {}: {}", found->symbol,
             call.describe(call.find_value(1) != nullptr ? 1 : 2), found->instead);
}

int refuse_change(Call& call) {
  call.fault("{} cannot be changed; build a new one, e.g. with Vector(...)", call.describe(1));
}

// c(n) reads a field, and local c = c(n) hides it.
[[noreturn]] void refuse_index_of_value(Call& call) {
  lua_Debug called;
  std::string who = call.describe(1), hidden;
  if (lua_getstack(call.lua(), 0, &called) == 1 && lua_getinfo(call.lua(), "n", &called) != 0 &&
      called.name != nullptr && std::string_view(called.namewhat) != "metamethod") {
    who = fmt::format("{} is {} here", called.name, who);
    const auto* vector = call.find<Vector>(1);
    const auto* scalar = call.find<Scalar>(1);
    const ExprId first = vector != nullptr   ? vector->entries.front()
                         : scalar != nullptr ? scalar->id
                                             : ExprId();
    const int line = first.valid() ? call.graph().line(first) : 0;
    if (line > 0) who += fmt::format(" (line {})", line);
    if (is_input(call.lua(), called.name)) hidden = ", which hides the input of that name";
  }
  call.fault("{}{}; it takes the number of an entry, found {}", who, hidden, call.describe(2));
}

// v[i], v(i): entry i of a vector, coordinate i of an index.
int push_entry(Call& call) {
  const auto entry_of = [&](std::size_t size) {
    if (!call.is_number(2) && call.find<Poison>(2) == nullptr) refuse_index_of_value(call);
    const std::int64_t i = call.integer(2, "the number of an entry");
    if (i < 0 || static_cast<std::size_t>(i) >= size)
      call.fault("entry {} of {}; entries count from 0, the last is {}", i, call.describe(1),
                 size - 1);
    return static_cast<std::size_t>(i);
  };
  if (const auto* vector = call.find<Vector>(1))
    return call.push_scalar(vector->entries[entry_of(vector->entries.size())]);
  if (const auto* index = call.find<IndexTuple>(1))
    return call.push(Value(IndexTuple{{index->components[entry_of(index->components.size())]}}));
  const auto& scalar = call.expect<Scalar>(1, "a vector");
  entry_of(1);
  return call.push_scalar(scalar.id);
}

int read_member(Call& call) {
  if (call.is_number(2)) return push_entry(call);
  const std::string name = call.text(2, "the number of an entry or the name of a method");
  push_methods(call.lua(), kind_name(*call.find_value(1)));
  lua_getfield(call.lua(), -1, name.c_str());
  if (!lua_isnil(call.lua(), -1)) return 1;
  lua_pop(call.lua(), 1);
  // Other languages call entries by letters.
  const std::size_t letter = std::string_view("xyzwrgba").find(name);
  const bool has_entries = call.find<Scalar>(1) != nullptr || call.find<Vector>(1) != nullptr ||
                           call.find<IndexTuple>(1) != nullptr;
  if (has_entries && name.size() == 1 && letter != std::string_view::npos)
    call.fault("{0} has no '{1}'; entries are numbered from 0, write ({2}) in place of .{1}",
               call.describe(1), name, letter % 4);
  call.fault_unknown(call.describe(1) + " has no", name, text_keys(call.lua(), -1).names);
}

int push_text(Call& call) {
  const std::string text = call.describe(1);
  lua_pushlstring(call.lua(), text.data(), text.size());
  return 1;
}

int refuse_call(Call& call) {
  if (call.find<Declaration>(1) != nullptr)
    call.fault("an input is read by the name that Inputs{{...}} gives it: Inputs {{ X = ... }}");
  call.fault("{} cannot be called", call.describe(1));
}

constexpr HostFunction Operators[] = {
    {"__band", &refuse_operator},
    {"__bnot", &refuse_operator},
    {"__bor", &refuse_operator},
    {"__bxor", &refuse_operator},
    {"__concat", &refuse_operator},
    {"__idiv", &refuse_operator},
    {"__len", &refuse_operator},
    {"__mod", &refuse_operator},
    {"__shl", &refuse_operator},
    {"__shr", &refuse_operator},
    {"__add", &arithmetic<Arithmetic::Add>},
    {"__sub", &arithmetic<Arithmetic::Sub>},
    {"__mul", &arithmetic<Arithmetic::Mul>},
    {"__div", &arithmetic<Arithmetic::Div>},
    {"__pow", &arithmetic<Arithmetic::Pow>},
    {"__unm", &negate},
    {"__lt", &refuse_order},
    {"__le", &refuse_order},
    {"__newindex", &refuse_change},
    {"__index", &read_member},
    {"__tostring", &push_text},
};

// What calling a value does, X(i, j) or W(), in the order of KindNames.
constexpr HostFunction Calls[] = {
    {"__call", &refuse_call},  // Poison has its own
    {"__call", &push_entry},  {"__call", &push_entry},  {"__call", &push_entry},
    {"__call", &push_domain}, {"__call", &read_field},  {"__call", &look_up},
    {"__call", &refuse_call}, {"__call", &sample},      {"__call", &sample_layer},
    {"__call", &refuse_call}, {"__call", &refuse_call}, {"__call", &refuse_call},
    {"__call", &make_point},  {"__call", &refuse_call},
};
static_assert(std::size(Calls) == std::size(KindNames));

// Poison answers every operation with itself and makes loops end.
int poison_itself(lua_State* state) {
  lua_settop(state, 1);
  return 1;
}
int poison_call(lua_State* state) {
  // A generic for calls its iterator with (state, control); a poisoned iterator yields nothing.
  if (lua_gettop(state) == 3 && lua_isnil(state, 2)) {
    lua_pushnil(state);
    return 1;
  }
  return poison_itself(state);
}
int poison_false(lua_State* state) {
  lua_pushboolean(state, 0);
  return 1;
}
int poison_length(lua_State* state) {
  lua_pushinteger(state, 0);
  return 1;
}
int poison_text(lua_State* state) {
  lua_pushliteral(state, "faulty value");
  return 1;
}
constexpr luaL_Reg PoisonOperators[] = {
    {"__index", &poison_itself}, {"__newindex", &poison_false}, {"__call", &poison_call},
    {"__lt", &poison_false},     {"__le", &poison_false},       {"__len", &poison_length},
    {"__concat", &poison_text},  {"__tostring", &poison_text},  {nullptr, nullptr},
};

}  // namespace

ExprId apply(ExprGraph& graph, Arithmetic operation, ExprId a, ExprId b) {
  switch (operation) {
    case Arithmetic::Add: return graph.add(a, b);
    case Arithmetic::Sub: return graph.sub(a, b);
    case Arithmetic::Mul: return graph.mul(a, b);
    case Arithmetic::Div: return graph.div(a, b);
    case Arithmetic::Pow: break;
  }
  if (graph.is_constant(b)) {
    const double exponent = graph.constant_value(b);
    if (exponent == std::floor(exponent) && std::abs(exponent) <= MaxIntegerPower)
      return graph.powi(a, static_cast<int>(exponent));
  }
  return graph.pow(a, b);
}

int apply_arithmetic(Call& call, Arithmetic operation) {
  if (call.is_number(1) && call.is_number(2))
    return call.push(apply(operation, call.number(1), call.number(2)));
  if (call.find<IndexTuple>(1) != nullptr || call.find<IndexTuple>(2) != nullptr)
    return index_arithmetic(call, operation);
  if (operation == Arithmetic::Mul)
    if (const auto product = product_of_motions(call)) return call.push(*product);
  const std::string expected = fmt::format("a value for '{}'", symbol(operation));
  const Elements a = call.elements(1, expected), b = call.elements(2, expected);
  const auto rule = [&](ExprGraph& graph, ExprId x, ExprId y) {
    return apply(graph, operation, x, y);
  };
  return call.push(
      call.combine(a, b, rule, fmt::format("the operands of '{}'", symbol(operation))));
}

int negate(Call& call) {
  if (call.is_number(1)) return call.push(-call.number(1));
  if (const auto* index = call.find<IndexTuple>(1)) {
    IndexTuple result;
    for (const Affine& component : index->components)
      result.components.push_back(IndexTable::scale(component, -1));
    return call.push(Value(std::move(result)));
  }
  Elements result = call.elements(1, "a value for '-'");
  for (ExprId& id : result.ids) id = call.graph().neg(id);
  return call.push(result);
}

void push_methods(lua_State* state, const char* kind) {
  luaL_getmetatable(state, kind);
  lua_getfield(state, -1, "methods");
  lua_remove(state, -2);
}

void make_metatables(TextLoad& load) {
  lua_State* state = load.lua().raw();
  const auto is = [](const char* kind, std::size_t alternative) {
    return std::string_view(kind) == KindNames[alternative];
  };
  for (std::size_t k = 0; k < std::size(KindNames); ++k) {
    const char* kind = KindNames[k];
    luaL_newmetatable(state, kind);  // sets __name, Lua's own word for it in messages
    lua_pushcfunction(state, &collect_value);
    lua_setfield(state, -2, "__gc");
    lua_newtable(state);
    lua_setfield(state, -2, "methods");
    add_functions(state, Operators);
    add_functions(state, std::span(&Calls[k], 1));
    if (is(kind, Value(Poison{}).index())) luaL_setfuncs(state, PoisonOperators, 0);
    lua_pop(state, 1);
  }
}

}  // namespace thallo::language
