// The description of an expected failure: what was found, where, and what would have been legal.
// Functions that can fail for a reason that the caller shows or counts (a parse error, an illegal
// schedule, a refused plugin, a truncated file) return Expected<T>:
//
//   Expected<int> parse_rank(std::string_view text) {
//     if (...) return fail("rank '{}' is not a number", text);
//     ...
//   }
//   THALLO_TRY(const int rank, parse_rank(text));
//
// A bug of Thallo itself is never a Diagnostic: THALLO_ASSERT (core/base/error.h) reports it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <tl/expected.hpp>

namespace thallo {

// A place in a text the user wrote. Lines and columns count from 1; 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;

  bool known() const { return !file.empty() || line > 0; }
  // Returns "warp.lua:12:5", without the parts that are unknown; "" if nothing is known.
  std::string text() const;

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

struct Diagnostic {
  std::string what;
  SourceLocation where;
  std::vector<std::string> alternatives;  // what would have been legal

  // Returns "file:line: what (legal: a, b, c)".
  std::string message() const;

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

template <class T>
using Expected = tl::expected<T, Diagnostic>;

inline tl::unexpected<Diagnostic> fail(Diagnostic diagnostic) {
  return tl::unexpected<Diagnostic>(std::move(diagnostic));
}

template <class... Args>
tl::unexpected<Diagnostic> fail(fmt::format_string<Args...> format, Args&&... args) {
  return fail(Diagnostic{fmt::vformat(format, fmt::make_format_args(args...)), {}, {}});
}

// Like fail(), with the place in the user's text or data file that is to blame.
template <class... Args>
tl::unexpected<Diagnostic> fail_at(SourceLocation where, fmt::format_string<Args...> format,
                                   Args&&... args) {
  return fail(
      Diagnostic{fmt::vformat(format, fmt::make_format_args(args...)), std::move(where), {}});
}

}  // namespace thallo

// Gives a variable, which may be declared here, the value of an Expected. If there is none, the
// function that this stands in returns the Diagnostic.
#define THALLO_TRY(variable, ...) \
  THALLO_TRY_BY_(THALLO_JOIN_(thallo_expected_, __LINE__), variable, __VA_ARGS__)
// The same without a variable.
#define THALLO_CHECK(...)                                   \
  if (auto thallo_checked = (__VA_ARGS__); !thallo_checked) \
  return ::thallo::fail(std::move(thallo_checked).error())
#define THALLO_TRY_BY_(expected, variable, ...)                      \
  auto expected = (__VA_ARGS__);                                     \
  if (!expected) return ::thallo::fail(std::move(expected).error()); \
  variable = *std::move(expected)
#define THALLO_JOIN_(a, b) THALLO_JOIN_NOW_(a, b)
#define THALLO_JOIN_NOW_(a, b) a##b
