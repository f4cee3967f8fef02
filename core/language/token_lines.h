#pragma once

// Maps places in Lua's text to places in the user's. Lua reports only a line for a call, that of
// the expression that contains it: r.fit:a(1):b{2} has two calls on the line of r. To identify the
// expression in the user's text, Lua is given that text with each token on a line of its own; a
// TokenLines knows where each token is in the user's text.
//
// Content hashes such as %3fa1 are names in schedules, but not in Lua. In Lua's text they get the
// prefix content_hash_, which from_lua_names() removes in messages.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo::language {

// The range from one place to just behind another.
struct SourceRange {
  SourceLocation begin;
  SourceLocation end;
};

class TokenLines {
 public:
  enum class Hashes { AreOperators, AreNames };  // the meaning of % before a hexadecimal digit

  TokenLines() = default;
  TokenLines(std::string text, Hashes hashes);

  const std::string& lua_text() const { return lua_text_; }

  // Tokens in order; each begins a line of Lua's text.
  std::size_t num_tokens() const { return tokens_.size(); }
  std::string_view token(std::size_t i) const;
  std::string lua_token(std::size_t i) const;  // as it is in Lua's text
  bool is_text(std::size_t i) const;
  bool is_literal(std::size_t i) const;  // a text or a number
  SourceLocation place_of_token(std::size_t i) const { return location(tokens_[i].begin); }
  // Returns the token behind those that the brackets enclose.
  std::size_t end_of_brackets(std::size_t opening) const;

  // Returns the place in the user's text, without a file, of the token on a line of Lua's; {} for
  // line 0. Columns count bytes.
  SourceLocation place(int lua_line) const;
  // A call of the expression that begins on that line; calls are in the order in which they run.
  struct Call {
    std::string method;  // "" if the called thing has no name
    // The first call's range begins with the expression, the others' with their ':'; all end behind
    // the arguments.
    SourceRange range;
  };
  std::vector<Call> calls(int lua_line) const;
  // Returns a message of Lua's compiler with line numbers of the user's text.
  std::string with_user_lines(std::string_view message) const;

 private:
  struct Token {
    std::uint32_t begin = 0;  // in the text
    std::uint32_t end = 0;
    std::uint32_t lua_line = 0;
  };

  std::size_t token_on(int lua_line) const;
  SourceLocation location(std::uint32_t offset) const;

  std::string text_;
  std::string lua_text_;
  std::vector<Token> tokens_;
  std::vector<std::uint32_t> line_begins_;  // of the text
};

// Reverses what TokenLines does to content hashes.
std::string from_lua_names(std::string_view text);

}  // namespace thallo::language
