// Lua's own conditions: on its own values they mean what they mean in Lua, and values of the
// language are refused.

#include "core/language/lua_conditions.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "tests/language/texts.h"

namespace thallo {
namespace {

using test::message_of;
using test::value;
using test::values;
using testing::ElementsAre, testing::HasSubstr;

// The message about a text below declarations of three lines.
std::string message_about(const std::string& text) {
  return message_of(
      "local N, U = Dims('N', 'U')\n"
      "Inputs { X = Unknown(float, {N}), M = Array(int, {N}) }\n"
      "local n = N()\n" +
      text + "\nResiduals { r = X(n) - M(n) }");
}

TEST(LuaConditions, KeepTheMeaningOfLuasOwnValues) {
  const auto is_true = [](const std::string& condition, const std::string& before = "") {
    return value("(" + condition + ") and 1 or 0", before) == 1;
  };
  for (const char* condition :
       {"1 == 1.0 and not (1 ~= 1)", "nil == false or 'a' == 'a'", "not nil == true",
        "1 < 2 == true", "1 + 1 == 2 and 2 ^ 2 == 4", "-2 ^ 2 == -4", "not not 0",
        "#'ab' == 2 and 'a' .. 'b' == 'ab'", "'a' .. 'b' == 'a' .. 'b' and 3 == 1 | 2",
        "(function() if 1 == 2 then return false elseif 2 == 2 then return true end end)()",
        "({['a' == 'a'] = 3, 4; 5 == 6})[true] == 3", "{} ~= {}", "x == x and x ~= y"})
    EXPECT_TRUE(is_true(condition, "local x, y = {}, {}")) << condition;
  EXPECT_EQ(value("1 == 2 and 3 or 4 == 4 and 5 or 6"), 5);
  EXPECT_EQ(value("(nil or false) == false and (1 and 2) or 3"), 2);
  EXPECT_EQ(value("i", "local i = 0 while not (i == 3) do i = i + 1 end"), 3);
  EXPECT_EQ(value("i", "local i = 0 repeat local j = i i = i + 1 until j == 3 and i > 3"), 4);
  EXPECT_EQ(value("f(1, 2) == 2 and f(3) or 0",
                  "local function f(a, ...) return ... == 2 and (...) or a end"),
            3);
}

TEST(LuaConditions, PickExpressionsAndFillInWhatWasLeftOut) {
  EXPECT_EQ(value("1 == 1 and a or b"), 0.7);
  EXPECT_EQ(value("(1 == 2 and a) or b"), -1.3);
  EXPECT_EQ(value("1 == 2 and a or 2 == 2 and b or 0"), -1.3);
  EXPECT_THAT(values("t.x, nothing or b", "local t, nothing = {x = 'p' ~= 'q' and a}"),
              ElementsAre(0.7, -1.3));
  EXPECT_EQ(value("a == nil and 1 or nil ~= b and 2 or 3"), 2);
  EXPECT_EQ(value("a == 'huber' and 1 or 2"), 2);
  const std::string before =
      "local function f(w, v) w = w or b local v = v or b return w + v end\n"
      "local function g(w, options) return (w or 2) + (options.v or -2) end\n";
  EXPECT_DOUBLE_EQ(value("f(a)", before), 0.7 - 1.3);
  EXPECT_DOUBLE_EQ(value("f(a, a)", before), 1.4);
  EXPECT_DOUBLE_EQ(value("g(a, {v = b})", before), 0.7 - 1.3);
  EXPECT_DOUBLE_EQ(value("g(nil, {})", before), 0);
  EXPECT_THAT(message_about("local c = less(X(n), 0)\nc = c or true"),
              HasSubstr("test.lua:5: Lua's 'or'"));
}

TEST(LuaConditions, RefuseExpressions) {
  struct Refused {
    std::string text;
    std::string message;
  };
  const Refused texts[] = {
      {"local c = InBounds(n + 1) and M(n)", "4: Lua's 'and' cannot look at an expression"},
      {"local c = 1 == 1 and (M(n) or 2)", "4: Lua's 'or' cannot"},
      {"local c = M(n) or eq(M(n), 2)", "4: Lua's 'or' cannot"},
      {"local m, k = M(n), X(n)\nlocal c = m or k", "5: Lua's 'or' cannot"},
      {"local c = {1, {[2] = not X(n)}}", "4: Lua's 'not' cannot"},
      {"local c = not -X(n) ^ 2", "4: Lua's 'not' cannot"},
      {"local c = not n", "4: Lua's 'not' cannot look at an index"},
      {"local c = not M", "4: Lua's 'not' cannot look at the field M"},
      {"print(X(n) == 0)", "4: an expression cannot be compared with the number 0 by Lua's '=='"},
      {"print(0 ~= Vector(1, 2))", "4: the number 0 cannot be compared with a vector of 2"},
      {"print(X(n)\n == M(n))", "4: an expression cannot be compared with an expression"},
      {"print(n == 0)", "4: an index cannot be compared with the number 0"},
      {"print(less(X(n), 0) == true)", "4: an expression cannot be compared with true"},
      {"local function f(i)\n  return X(i) == 0\nend\nprint(f(n))", "5: an expression cannot"},
      {"local t = {f = function() return M(n) ~= 0 end}\nt.f()", "4: an expression cannot"},
      {"if 1 == 2 then\nelseif\n  less(X(n), 0) then\nend", "6: Lua's 'elseif' cannot"},
      {"local i = 0\nwhile less(i, X(n)) do i = i + 1 end", "5: Lua's 'while' cannot"},
      {"local i = 0\nrepeat i = i + 1 until X(n)", "5: Lua's 'until' cannot"},
      {"for i = 1, 2 do if X(n) then print(i) end end", "4: Lua's 'if' cannot"},
      {"print(({X(n) and 1})[1])", "4: Lua's 'and' cannot"},
      {"print(('x'):rep(M(n) and 1 or 2))", "4: Lua's 'and' cannot"},
      {"assert(less(X(n), 0), 'negative')", "4: assert: Lua's 'assert' cannot"},
      {"table.sort({1, 2}, function(i, j) return less(X(i), X(j)) end)",
       "4: sort: Lua's 'table.sort' cannot"},
  };
  for (const auto& [text, message] : texts)
    EXPECT_THAT(message_about(text), HasSubstr("test.lua:" + message)) << text;
}

TEST(LuaConditions, AreFoundSeveralAtOnceOnTheLineOfTheirOperand) {
  EXPECT_EQ(
      message_about("local a = not X(n)\nlocal b = M(n) and a\nlocal c = a == 0 or a"),
      "test.lua: energy 'test' has 2 faults:\n"
      "  test.lua:4: Lua's 'not' cannot look at an expression: the values are known only while "
      "the solver runs. Use Not(a). To ask whether there is a value at all, compare it with "
      "nil\n"
      "  test.lua:5: Lua's 'and' cannot look at an expression: the values are known only while "
      "the solver runs. Use And(a, b), and Select(a, b, c) for 'a and b or c'. To ask whether "
      "there is a value at all, compare it with nil");
  using language::TokenLines;
  const TokenLines lines("if a == b then c = not d end", TokenLines::Hashes::AreOperators);
  EXPECT_EQ(language::with_checked_conditions(lines),
            "if\n__condition(\"if\",__equal(\"==\",a\n,\nb))\nthen\nc\n=\nnot\n"
            "__condition(\"not\",d)\nend\n");
}

// What runs is a text that Lua has compiled, but the faults of any text end the reading.
TEST(LuaConditions, AreFoundInTheBeginningOfAText) {
  const std::string text =
      "local f = function(a, ...) while a[1].b:c 'd' {e} ~= -(g or 'h') ^ not i do repeat until j "
      "end return {k == l; [m] = function() end} end";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const language::TokenLines lines(text.substr(0, size),
                                     language::TokenLines::Hashes::AreOperators);
    EXPECT_EQ(std::ranges::count(language::with_checked_conditions(lines), '\n'),
              static_cast<std::ptrdiff_t>(lines.num_tokens()));
  }
}

}  // namespace
}  // namespace thallo
