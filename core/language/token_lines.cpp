#include "core/language/token_lines.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace thallo::language {
namespace {

constexpr std::string_view HashPrefix = "content_hash_";

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

char at(std::string_view text, std::size_t i) { return i < text.size() ? text[i] : '\0'; }
bool is_break(char c) { return c == '\n' || c == '\r'; }

// The characters of the line break that stands there, as Lua counts lines; 0 when none does.
std::size_t line_break(std::string_view text, std::size_t i) {
  if (!is_break(at(text, i))) return 0;
  return is_break(at(text, i + 1)) && text[i] != text[i + 1] ? 2 : 1;
}

template <class Visit>
void for_each_line_end(std::string_view text, const Visit& visit) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = line_break(text, i);
    i += std::max<std::size_t>(size, 1);
    if (size > 0) visit(i);
  }
}

// The end of the long bracket, [==[ ... ]==], that begins at `begin`; `begin` when none does.
std::size_t skip_long_bracket(std::string_view text, std::size_t begin) {
  if (at(text, begin) != '[') return begin;
  std::size_t next = begin + 1;
  while (at(text, next) == '=') ++next;
  if (at(text, next) != '[') return begin;
  const std::string closing = "]" + std::string(next - begin - 1, '=') + "]";
  const std::size_t end = text.find(closing, next);
  return end == std::string_view::npos ? text.size() : end + closing.size();
}

std::size_t skip_quotes(std::string_view text, std::size_t begin) {
  std::size_t next = begin + 1;
  while (next < text.size() && text[next] != text[begin] && !is_break(text[next])) {
    if (text[next++] != '\\') continue;
    if (at(text, next) == 'z') {  // leaves out the space that follows
      while (is_space(at(text, ++next))) continue;
    } else {
      next += std::max<std::size_t>(line_break(text, next), 1);
    }
  }
  return std::min(next + 1, text.size());
}

// The end of the comment that begins at `begin`; `begin` when none does, or one without an end,
// about which Lua complains.
std::size_t skip_comment(std::string_view text, std::size_t begin) {
  if (!text.substr(begin).starts_with("--")) return begin;
  const std::size_t end = skip_long_bracket(text, begin + 2);
  if (end == begin + 2) return std::min(text.find_first_of("\r\n", begin), text.size());
  return text.substr(begin, end - begin).ends_with(']') ? end : begin;
}

// As Lua reads numerals: a sign belongs to one behind its exponent's letter only.
std::size_t skip_numeral(std::string_view text, std::size_t begin) {
  const bool is_hexadecimal = text[begin] == '0' && (at(text, begin + 1) | 0x20) == 'x';
  const char exponent = is_hexadecimal ? 'p' : 'e';
  std::size_t next = begin;
  while (is_name_part(at(text, next)) || at(text, next) == '.') {
    const bool has_sign = (text[next] | 0x20) == exponent;
    ++next;
    if (has_sign && (at(text, next) == '+' || at(text, next) == '-')) ++next;
  }
  return next;
}

std::size_t skip_name(std::string_view text, std::size_t begin) {
  while (is_name_part(at(text, begin))) ++begin;
  return begin;
}

bool is_hash(std::string_view text, std::size_t begin) {
  return text[begin] == '%' && is_hex(at(text, begin + 1));
}

// The end of the token that begins at `begin`, which is no space and begins no comment.
std::size_t end_of_token(std::string_view text, std::size_t begin, TokenLines::Hashes hashes) {
  const char first = text[begin];
  if (first == '"' || first == '\'') return skip_quotes(text, begin);
  if (const std::size_t end = skip_long_bracket(text, begin); end != begin) return end;
  if (is_digit(first) || (first == '.' && is_digit(at(text, begin + 1))))
    return skip_numeral(text, begin);
  if (is_name_part(first)) return skip_name(text, begin);
  if (hashes == TokenLines::Hashes::AreNames && is_hash(text, begin))
    return skip_name(text, begin + 1);
  if (text.substr(begin).starts_with("--")) return text.size();  // a comment without an end
  for (const std::string_view symbol :
       {"...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"}) {
    if (text.substr(begin).starts_with(symbol)) return begin + symbol.size();
  }
  return begin + 1;
}

bool is_closing(std::string_view token) { return token == ")" || token == "}" || token == "]"; }
bool is_opening(std::string_view token) { return token == "(" || token == "{" || token == "["; }

}  // namespace

TokenLines::TokenLines(std::string text, Hashes hashes) : text_(std::move(text)) {
  line_begins_.push_back(0);
  for_each_line_end(
      text_, [&](std::size_t end) { line_begins_.push_back(static_cast<std::uint32_t>(end)); });
  std::uint32_t lua_line = 1;
  for (std::size_t begin = 0; begin < text_.size();) {
    if (is_space(text_[begin])) {
      ++begin;
      continue;
    }
    if (const std::size_t end = skip_comment(text_, begin); end != begin) {
      begin = end;
      continue;
    }
    const std::size_t end = end_of_token(text_, begin, hashes);
    const std::string_view token = std::string_view(text_).substr(begin, end - begin);
    // Lua counts a token of several lines as one on its last.
    for_each_line_end(token, [&](std::size_t) { ++lua_line; });
    tokens_.push_back(
        {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), lua_line});
    lua_text_ += lua_token(tokens_.size() - 1) + '\n';
    ++lua_line;
    begin = end;
  }
}

std::size_t TokenLines::token_on(int lua_line) const {
  const auto found =
      std::ranges::lower_bound(tokens_, static_cast<std::uint32_t>(lua_line), {}, &Token::lua_line);
  return static_cast<std::size_t>(found - tokens_.begin());
}

std::string_view TokenLines::token(std::size_t i) const {
  return std::string_view(text_).substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
}

// A longer token than % begins with it if it is a hash.
std::string TokenLines::lua_token(std::size_t i) const {
  const std::string_view written = token(i);
  if (written.size() > 1 && written[0] == '%')
    return fmt::format("{}{}", HashPrefix, written.substr(1));
  return std::string(written);
}

bool TokenLines::is_text(std::size_t i) const {
  const std::string_view written = i < num_tokens() ? token(i) : std::string_view();
  return written.starts_with('"') || written.starts_with('\'') || written.starts_with("[[") ||
         written.starts_with("[=");
}

bool TokenLines::is_literal(std::size_t i) const {
  const std::string_view written = i < num_tokens() ? token(i) : std::string_view();
  return is_text(i) || is_digit(at(written, 0)) ||
         (written.starts_with('.') && is_digit(at(written, 1)));
}

SourceLocation TokenLines::location(std::uint32_t offset) const {
  const auto next = std::ranges::upper_bound(line_begins_, offset);
  return {"", static_cast<int>(next - line_begins_.begin()),
          static_cast<int>(offset - *std::prev(next)) + 1};
}

SourceLocation TokenLines::place(int lua_line) const {
  if (lua_line <= 0) return {};
  const std::size_t token = token_on(lua_line);
  // Behind the last token: a syntax error near <eof>.
  if (token >= tokens_.size()) return location(tokens_.empty() ? 0 : tokens_.back().end);
  return location(tokens_[token].begin);
}

std::size_t TokenLines::end_of_brackets(std::size_t opening) const {
  std::size_t depth = 0;
  for (std::size_t i = opening; i < tokens_.size(); ++i) {
    if (is_opening(token(i))) ++depth;
    if (is_closing(token(i)) && --depth == 0) return i + 1;
  }
  return tokens_.size();
}

std::vector<TokenLines::Call> TokenLines::calls(int lua_line) const {
  std::vector<Call> calls;
  const std::size_t first = token_on(lua_line);
  if (lua_line <= 0 || first >= tokens_.size()) return calls;
  std::size_t begin = first;
  std::string method(token(first));
  std::size_t next = is_opening(method) ? end_of_brackets(first) : first + 1;
  while (next < tokens_.size()) {
    const std::string_view symbol = token(next);
    if ((symbol == "." || symbol == ":") && next + 1 < tokens_.size()) {
      if (symbol == ":" && !calls.empty()) begin = next;
      method = token(next + 1);
      next += 2;
    } else if (symbol == "[") {
      method.clear();
      next = end_of_brackets(next);
    } else if (symbol == "(" || symbol == "{" || is_text(next)) {
      next = is_text(next) ? next + 1 : end_of_brackets(next);
      calls.push_back({method, {location(tokens_[begin].begin), location(tokens_[next - 1].end)}});
      method.clear();
    } else {
      break;
    }
  }
  return calls;
}

std::string TokenLines::with_user_lines(std::string_view message) const {
  std::string result;
  for (std::size_t next = 0; next < message.size();) {
    const std::string_view rest = message.substr(next);
    std::size_t number = 0;
    for (const std::string_view before : {" at line ", " on line "}) {
      if (rest.starts_with(before) && is_digit(at(rest, before.size()))) number = before.size();
    }
    if (number == 0) {
      result += message[next++];
      continue;
    }
    int lua_line = 0;
    const char* const digits = rest.data() + number;
    const auto read = std::from_chars(digits, rest.data() + rest.size(), lua_line);
    result += rest.substr(0, number);
    result += std::to_string(place(lua_line).line);
    next += static_cast<std::size_t>(read.ptr - rest.data());
  }
  return result;
}

std::string from_lua_names(std::string_view text) {
  std::string result(text);
  for (std::size_t found = result.find(HashPrefix); found != std::string::npos;
       found = result.find(HashPrefix, found)) {
    result.replace(found, HashPrefix.size(), "%");
  }
  return result;
}

}  // namespace thallo::language
