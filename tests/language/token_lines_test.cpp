#include "core/language/token_lines.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace thallo::language {
namespace {

using Hashes = TokenLines::Hashes;
using testing::ElementsAre, testing::IsEmpty;

std::vector<std::string> tokens_of(const std::string& text, Hashes hashes = Hashes::AreOperators) {
  std::vector<std::string> tokens;
  const TokenLines lines(text, hashes);
  const std::string& lua = lines.lua_text();
  for (std::size_t begin = 0; begin < lua.size();) {
    const std::size_t end = lua.find('\n', begin);
    tokens.push_back(lua.substr(begin, end - begin));
    begin = end + 1;
  }
  return tokens;
}

// The Lua line on which a token stands that occurs once.
int line_of(const std::string& text, const std::string& token) {
  const std::vector<std::string> tokens = tokens_of(text);
  return static_cast<int>(std::ranges::find(tokens, token) - tokens.begin()) + 1;
}

// "method: its text" of the calls of the expression that begins with a token.
std::vector<std::string> calls_of(const std::string& text, const std::string& first) {
  std::vector<std::string> calls;
  const TokenLines lines(text, Hashes::AreOperators);
  for (const TokenLines::Call& call : lines.calls(line_of(text, first))) {
    const auto [begin, end] = call.range;
    EXPECT_EQ(begin.line, 1);
    EXPECT_EQ(end.line, 1);
    calls.push_back(call.method + ": " +
                    text.substr(static_cast<std::size_t>(begin.column - 1),
                                static_cast<std::size_t>(end.column - begin.column)));
  }
  return calls;
}

TEST(TokenLines, GivesEachTokenALine) {
  EXPECT_THAT(tokens_of("r.fit:reorder{h, w}"),
              ElementsAre("r", ".", "fit", ":", "reorder", "{", "h", ",", "w", "}"));
  EXPECT_THAT(tokens_of("a<=b==c//d...e..f::g"),
              ElementsAre("a", "<=", "b", "==", "c", "//", "d", "...", "e", "..", "f", "::", "g"));
  EXPECT_THAT(tokens_of("1.5e-3-.5 0x1p+2-1 0xe-1 3..2"),
              ElementsAre("1.5e-3", "-", ".5", "0x1p+2", "-", "1", "0xe", "-", "1", "3..2"));
  EXPECT_THAT(tokens_of(R"(f("a (b) \" c", 'd') -- e "f
g[=[h ]] i]=] --[[ j
k ]] l)"),
              ElementsAre("f", "(", R"("a (b) \" c")", ",", "'d'", ")", "g", "[=[h ]] i]=]", "l"));
  EXPECT_THAT(tokens_of("a --[[ b"), ElementsAre("a", "--[[ b"));
  EXPECT_THAT(tokens_of("a [[ b"), ElementsAre("a", "[[ b"));
  EXPECT_THAT(tokens_of("%3fa1:x()", Hashes::AreNames),
              ElementsAre("content_hash_3fa1", ":", "x", "(", ")"));
  EXPECT_THAT(tokens_of("5 %3", Hashes::AreOperators), ElementsAre("5", "%", "3"));
  EXPECT_EQ(from_lua_names("near 'content_hash_3fa1'"), "near '%3fa1'");
}

TEST(TokenLines, FindsThePlaceOfAToken) {
  const TokenLines lines("a =\r\n  [[b\nc]]  + d", Hashes::AreOperators);
  EXPECT_EQ(lines.place(1).text(), "1:1");
  EXPECT_EQ(lines.place(2).text(), "1:3");
  EXPECT_EQ(lines.place(3).text(), "2:3") << "the first line of a token of two";
  EXPECT_EQ(lines.place(4).text(), "2:3") << "the second";
  EXPECT_EQ(lines.place(5).text(), "3:6");
  EXPECT_EQ(lines.place(6).text(), "3:8");
  EXPECT_EQ(lines.place(7).text(), "3:9") << "the end of the text";
  EXPECT_EQ(lines.place(0).line, 0);
}

TEST(TokenLines, FindsTheWholeOfACall) {
  EXPECT_THAT(calls_of("local b = r:merge(q.fit, f(2)) c()", "r"),
              ElementsAre("merge: r:merge(q.fit, f(2))"));
  EXPECT_THAT(calls_of("x = r.fit.J:set_sparse{true, {1}} y", "r"),
              ElementsAre("set_sparse: r.fit.J:set_sparse{true, {1}}"));
  EXPECT_THAT(calls_of("r.fit:strategy 'JtJp' q.reg()", "r"),
              ElementsAre("strategy: r.fit:strategy 'JtJp'"));
  EXPECT_THAT(calls_of("p[i + 1]:a() = 2", "p"), ElementsAre("a: p[i + 1]:a()"));
  EXPECT_THAT(calls_of("(p or q):a [[x]]", "("), ElementsAre("a: (p or q):a [[x]]"));
  EXPECT_THAT(calls_of("a = r.fit + 1", "r"), IsEmpty());
  EXPECT_THAT(calls_of("r.fit:a(1):b{2} :a()", "r"),
              ElementsAre("a: r.fit:a(1)", "b: :b{2}", "a: :a()"));
  EXPECT_THAT(calls_of("r.fit:a{1, 2", "r"), ElementsAre("a: r.fit:a{1, 2"));
}

TEST(TokenLines, EveryBeginningOfATextHasItsPlaces) {
  const std::string text =
      "r.fit:reorder{h, w}:m('a\\\n b', \"c\\z  \n d\") --[[ e\r\n ]] %3fa1:x[==[\n]]]==] -- f\n"
      "p[i .. 1.5e-3](function() return 0x1p+2 ~= 3 end)";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const TokenLines lines(text.substr(0, size), Hashes::AreNames);
    const auto num_lines = static_cast<int>(std::ranges::count(lines.lua_text(), '\n'));
    SourceLocation before;
    for (int line = 1; line <= num_lines + 1; ++line) {
      const SourceLocation place = lines.place(line);
      EXPECT_GE(std::pair(place.line, place.column), std::pair(before.line, before.column));
      EXPECT_LE(place.line, 6) << size;
      for (const TokenLines::Call& call : lines.calls(line))
        EXPECT_LT(std::pair(call.range.begin.line, call.range.begin.column),
                  std::pair(call.range.end.line, call.range.end.column));
      before = place;
    }
  }
}

TEST(TokenLines, TranslatesTheLinesInMessagesOfLua) {
  const TokenLines lines("f(\n{ 1\n", Hashes::AreOperators);
  EXPECT_EQ(lines.with_user_lines("'}' expected (to close '{' at line 3) near <eof>"),
            "'}' expected (to close '{' at line 2) near <eof>");
  EXPECT_EQ(lines.with_user_lines("label 'at line' on line 4"), "label 'at line' on line 2");
}

}  // namespace
}  // namespace thallo::language
