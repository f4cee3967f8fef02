#include "core/backend/cpu/combine.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace thallo {
namespace {

enum class TokenKind { Word, Number, Mark, Blank };  // Blank: space, comments, directives

struct Token {
  TokenKind kind;
  std::string_view text;
};

// Cuts the text into tokens, one after the other, without gaps. It holds no strings.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  Token next() {
    if (rest_.starts_with("//")) return take(TokenKind::Blank, rest_.find('\n'));
    if (rest_.starts_with("/*")) return take(TokenKind::Blank, after(rest_.find("*/", 2), 2));
    if (rest_.front() == '#') return take(TokenKind::Blank, end_of_directive());
    if (is_digit(rest_.front()) ||
        (rest_.front() == '.' && rest_.size() > 1 && is_digit(rest_[1]))) {
      return take(TokenKind::Number, end_of_number());
    }
    if (is_of_word(rest_.front())) return take(TokenKind::Word, end_of(is_of_word));
    if (is_space(rest_.front())) return take(TokenKind::Blank, end_of(is_space));
    return take(TokenKind::Mark, 1);
  }

 private:
  static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
  static bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
  static bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  static bool is_one_of(char c, std::string_view list) {
    return list.find(c) != std::string_view::npos;
  }

  static std::size_t after(std::size_t found, std::size_t length) {
    return found == std::string_view::npos ? found : found + length;
  }
  std::size_t end_of(bool (*belongs)(char)) const {
    return static_cast<std::size_t>(std::ranges::find_if_not(rest_, belongs) - rest_.begin());
  }
  std::size_t end_of_directive() const {
    std::size_t end = rest_.find('\n');
    while (end != std::string_view::npos && rest_[end - 1] == '\\') end = rest_.find('\n', end + 1);
    return end;
  }
  // A sign belongs to a number behind the letter of its exponent: "1e-3f", "0x1p+4".
  std::size_t end_of_number() const {
    std::size_t end = 1;
    while (end < rest_.size() &&
           (is_of_word(rest_[end]) || rest_[end] == '.' ||
            (is_one_of(rest_[end], "+-") && is_one_of(rest_[end - 1], "eEpP")))) {
      ++end;
    }
    return end;
  }
  Token take(TokenKind kind, std::size_t length) {
    const Token token{kind, rest_.substr(0, length)};
    rest_.remove_prefix(token.text.size());
    return token;
  }

  std::string_view rest_;
};

// Reads the definitions of a text, token by token.
class ScopeReader {
 public:
  void read(const Token& token) {
    if (token.kind == TokenKind::Word) {
      read_word(token.text);
    } else if (token.kind == TokenKind::Mark) {
      read_mark(token.text.front());
    } else if (token.text.starts_with("#define")) {
      scope_.has_macros = true;
    }
  }
  FileScope take() { return std::move(scope_); }

 private:
  // What is read of one definition or declaration.
  struct Item {
    std::string_view first;     // its first word
    std::string_view last;      // its last word outside parentheses and braces
    std::string_view function;  // the word before its first parenthesis
    bool awaits_enumerator = false;
  };

  void read_word(std::string_view word) {
    if (depth_ == 0) {
      if (item_.first.empty()) item_.first = word;
      item_.last = word;
    } else if (item_.awaits_enumerator) {
      define(word);
      item_.awaits_enumerator = false;
    }
  }

  void read_mark(char mark) {
    if (depth_ == 0 && mark == '(' && item_.function.empty()) item_.function = item_.last;
    if (depth_ == 0 && mark == '{' && item_.function.empty()) {
      // A tag, or a table with its entries.
      if (item_.last != "struct" && item_.last != "enum") define(item_.last);
      item_.awaits_enumerator = item_.first == "enum";
    }
    if (depth_ == 1 && mark == ',' && item_.first == "enum") item_.awaits_enumerator = true;
    if (mark == '(' || mark == '{') ++depth_;
    if (mark == ')' || mark == '}') --depth_;
    if (depth_ != 0) return;
    if (mark == '}' && !item_.function.empty()) {
      define(item_.function);
      item_ = {};
    } else if (mark == ';') {
      if (item_.first == "typedef") {
        define(item_.last);
      } else if (!item_.function.empty()) {
        scope_.declared.emplace(item_.function);
      }
      item_ = {};
    }
  }

  void define(std::string_view name) { scope_.defined.emplace(name); }

  FileScope scope_;
  Item item_;
  int depth_ = 0;  // of parentheses and braces
};

}  // namespace

FileScope file_scope_of(std::string_view text) {
  ScopeReader reader;
  for (Tokens tokens(text); !tokens.done();) reader.read(tokens.next());
  return reader.take();
}

std::string with_prefix(std::string_view text, const ScopeNames& names, std::string_view prefix) {
  std::string result;
  for (Tokens tokens(text); !tokens.done();) {
    const Token token = tokens.next();
    if (token.kind == TokenKind::Word && names.contains(token.text)) result += prefix;
    result += token.text;
  }
  return result;
}

std::string prefix_of(std::size_t number) { return fmt::format("k{}_", number); }

}  // namespace thallo
