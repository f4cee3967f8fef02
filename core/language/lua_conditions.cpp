#include "core/language/lua_conditions.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/language/call.h"
#include "core/language/environment.h"

namespace thallo::language {
namespace {

constexpr const char* ConditionCheck = "__condition";
constexpr const char* EqualityCheck = "__equal";

// Checked where `a or b` is written as one fills in an argument that was left out.
constexpr std::string_view Default = "default";

template <std::size_t Size>
bool is_one_of(std::string_view token, const std::string_view (&tokens)[Size]) {
  return std::ranges::find(tokens, token) != std::end(tokens);
}

// Reads the expressions of a text, and notes what is written around their tokens.
class ConditionReader {
 public:
  explicit ConditionReader(const TokenLines& lines)
      : lines_(lines),
        num_tokens_(lines.num_tokens()),
        before_(num_tokens_),
        after_(num_tokens_),
        is_comma_(num_tokens_) {}

  std::string checked_text() {
    read_all(0, num_tokens_);
    std::string result;
    for (std::size_t i = 0; i < num_tokens_; ++i)
      result +=
          fmt::format("{}{}{}\n", before_[i], is_comma_[i] ? "," : lines_.lua_token(i), after_[i]);
    return result;
  }

 private:
  struct Expression {
    std::size_t end = 0;     // behind its last token; its begin if there is no expression
    bool is_picked = false;  // the value is one that an `and` picked: c and a
  };

  std::string_view token(std::size_t i) const {
    return i < num_tokens_ ? lines_.token(i) : std::string_view();
  }
  bool is_name(std::size_t i) const {
    return token(i) == "nil" || token(i) == "true" || token(i) == "false" ||
           is_identifier(token(i));
  }

  // Every expression stands behind one of these tokens, or in another expression.
  void read_all(std::size_t begin, std::size_t end) {
    while (begin < end) {
      const std::string_view before = token(begin++);
      if (!is_one_of(before, {"=", ",", "(", "[", "{", ";", "return", "if", "elseif", "while",
                              "until", "in"}))
        continue;
      const Expression found = read(begin, 0);
      if (is_one_of(before, {"if", "elseif", "while", "until"})) check(before, begin, found.end);
      begin = found.end;
    }
  }

  // How tightly an operator of two operands binds; 0 for other tokens.
  static int binding(std::string_view token) {
    if (token == "or") return 1;
    if (token == "and") return 2;
    if (is_one_of(token, {"<", ">", "<=", ">=", "~=", "=="})) return 3;
    if (is_one_of(token, {"|", "~", "&", "<<", ">>", "..", "+", "-", "*", "/", "//", "%"}))
      return 4;
    return 0;
  }

  // Reads the operands from `begin` on whose operators bind more tightly than `loosest`.
  Expression read(std::size_t begin, int loosest) {
    Expression left = read_operand(begin);
    if (left.end == begin) return left;
    std::size_t last = begin;  // the last operand of an `or`
    while (binding(token(left.end)) > loosest) {
      const std::size_t middle = left.end;
      const std::string_view symbol = token(middle);
      const Expression right = read(middle + 1, binding(symbol));
      if (symbol == "==" || symbol == "~=") {
        call(EqualityCheck, symbol, begin, right.end);
        is_comma_[middle] = true;
      } else if (symbol == "and") {
        check(symbol, begin, middle);
      } else if (symbol == "or" && !left.is_picked) {
        check(is_default(last, middle, right.end) ? Default : symbol, last, middle);
      }
      left.is_picked = symbol == "and" || (symbol == "or" && right.is_picked);
      if (symbol == "or") last = middle + 1;
      left.end = right.end;
    }
    return left;
  }

  Expression read_operand(std::size_t begin) {
    const std::string_view first = token(begin);
    if (is_one_of(first, {"not", "-", "#", "~"})) {
      const std::size_t end = read_operand(begin + 1).end;
      if (first == "not") check(first, begin + 1, end);
      return {end};
    }
    Expression found{begin};
    if (first == "function") {
      found.end = end_of_function(begin);
      read_all(begin, found.end);
    } else if (first == "(") {
      found.is_picked = read(begin + 1, 0).is_picked;
      found.end = lines_.end_of_brackets(begin);
    } else if (first == "{") {
      found.end = read_brackets(begin);
    } else if (is_name(begin) || lines_.is_literal(begin) || first == "...") {
      found.end = begin + 1;
    } else {
      return found;
    }
    if (first == "(" || is_identifier(first)) {
      const std::size_t end = read_suffixes(found.end);
      if (end != found.end) found = {end};
    }
    if (token(found.end) == "^") found = {read_operand(found.end + 1).end};
    return found;
  }

  // .name, :name, [key], (arguments), {table}, "text"
  std::size_t read_suffixes(std::size_t i) {
    while (true) {
      if (token(i) == "." || token(i) == ":") {
        i += 2;
      } else if (is_one_of(token(i), {"[", "(", "{"})) {
        i = read_brackets(i);
      } else if (lines_.is_text(i)) {
        ++i;
      } else {
        return i;
      }
    }
  }

  std::size_t read_brackets(std::size_t opening) {
    const std::size_t end = lines_.end_of_brackets(opening);
    read_all(opening, end);
    return end;
  }

  std::size_t end_of_function(std::size_t begin) const {
    int num_open = 0;
    for (std::size_t i = begin; i < num_tokens_; ++i) {
      if (is_one_of(token(i), {"function", "if", "do", "repeat"})) ++num_open;
      if (is_one_of(token(i), {"end", "until"}) && num_open-- == 1) return i + 1;
    }
    return num_tokens_;
  }

  void check(std::string_view what, std::size_t begin, std::size_t end) {
    const bool is_constant = is_one_of(token(begin), {"nil", "true", "false"}) && end == begin + 1;
    if (begin == end || is_constant) return;
    call(ConditionCheck, what, begin, end);
  }

  // An expression may go on behind the end of a text that Lua has not compiled.
  void call(std::string_view function, std::string_view what, std::size_t begin, std::size_t end) {
    if (end > num_tokens_) return;
    before_[begin].insert(0, fmt::format("{}(\"{}\",", function, what));
    after_[end - 1] += ")";
  }

  // w = w or e, and w or 1: the left side is a name, and the right one nothing that could be a
  // condition.
  bool is_default(std::size_t begin, std::size_t middle, std::size_t end) const {
    for (std::size_t i = begin; i < middle; ++i)
      if (i % 2 == begin % 2 ? !is_identifier(token(i)) : token(i) != ".") return false;
    if (begin >= 2 && middle == begin + 1 && token(begin - 1) == "=" &&
        token(begin - 2) == token(begin))
      return true;
    const std::size_t first = middle + (token(middle + 1) == "-" ? 2 : 1);
    return lines_.is_literal(first) ? first + 1 == end
                                    : token(first) == "{" && lines_.end_of_brackets(first) == end;
  }

  const TokenLines& lines_;
  std::size_t num_tokens_;
  std::vector<std::string> before_, after_;
  std::vector<bool> is_comma_;
};

struct Remedy {
  std::string_view what;
  std::string_view instead;
};
constexpr Remedy Remedies[] = {
    {"and", "And(a, b), and Select(a, b, c) for 'a and b or c'"},
    {"or", "Or(a, b), and Select(a, b, c) for 'a and b or c'"},
    {Default, "Or(a, b)"},
    {"not", "Not(a)"},
    {"while", "Select(condition, a, b) in a loop of as many steps as are ever needed"},
    {"until", "Select(condition, a, b) in a loop of as many steps as are ever needed"},
};

bool is_condition(Call& call, int i) {
  const auto is_boolean = [&](ExprId id) { return call.graph().is_boolean(id); };
  if (const auto* scalar = call.find<Scalar>(i)) return is_boolean(scalar->id);
  const auto* vector = call.find<Vector>(i);
  return vector != nullptr && std::ranges::all_of(vector->entries, is_boolean);
}

int refuse_condition(Call& call) {
  const std::string what = call.text(1, "a text");
  if (what == Default && !is_condition(call, 2)) {
    lua_settop(call.lua(), 2);
    return 1;
  }
  const auto* const remedy = std::ranges::find(Remedies, what, &Remedy::what);
  call.fault(
      "Lua's '{}' cannot look at {}: the values are known only while the solver runs. Use {}. To "
      "ask whether there is a value at all, compare it with nil",
      what == Default ? "or" : what, call.describe(2),
      remedy != std::end(Remedies) ? remedy->instead : "Select(condition, a, b)");
}
constexpr HostFunction RefuseCondition = {ConditionCheck, &refuse_condition};

// What is no expression, a dim or a field for example, is equal to itself alone.
int refuse_equality(Call& call) {
  const auto is_expression = [&](int i) {
    return call.find<Scalar>(i) != nullptr || call.find<Vector>(i) != nullptr ||
           call.find<IndexTuple>(i) != nullptr;
  };
  const auto is_value = [&](int i) { return call.find_value(i) != nullptr; };
  const auto is_quantity = [&](int i) {
    return call.is_number(i) || call.is_table(i) || lua_isboolean(call.lua(), i);
  };
  const std::string what = call.text(1, "a text");
  if (is_value(2) && is_value(3) ? is_expression(2) || is_expression(3)
                                 : is_quantity(2) || is_quantity(3))
    call.fault(
        "{} cannot be compared with {} by Lua's '{}': the values are known only while the solver "
        "runs. Use {}(a, b), e.g. in Select({}(a, b), u, v)",
        call.describe(2), call.describe(3), what, what == "==" ? "eq" : "neq",
        what == "==" ? "eq" : "neq");
  lua_pushboolean(call.lua(),
                  static_cast<int>((lua_rawequal(call.lua(), 2, 3) != 0) == (what == "==")));
  return 1;
}
constexpr HostFunction RefuseEquality = {EqualityCheck, &refuse_equality};

// A loop whose condition is faulty ends.
int check_condition(lua_State* state) {
  lua_settop(state, 2);
  if (lua_type(state, 2) != LUA_TUSERDATA) return 1;
  call_host(state, RefuseCondition);
  if (std::string_view(lua_tostring(state, 1)) == "while") lua_pushboolean(state, 0);
  return 1;
}

int check_equality(lua_State* state) {
  lua_settop(state, 3);
  const auto is = [&](int type) {
    return lua_type(state, 2) == type || lua_type(state, 3) == type;
  };
  if (is(LUA_TUSERDATA) && !is(LUA_TNIL)) return call_host(state, RefuseEquality);
  const bool wants_equal = *lua_tostring(state, 1) == '=';
  lua_pushboolean(state, static_cast<int>((lua_rawequal(state, 2, 3) != 0) == wants_equal));
  return 1;
}

}  // namespace

std::string with_checked_conditions(const TokenLines& lines) {
  return ConditionReader(lines).checked_text();
}

void push_condition_check(lua_State* state) { lua_pushcfunction(state, &check_condition); }

void add_condition_checks(lua_State* state) {
  push_condition_check(state);
  set_user_global(state, ConditionCheck);
  lua_pushcfunction(state, &check_equality);
  set_user_global(state, EqualityCheck);
}

}  // namespace thallo::language
