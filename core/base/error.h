// The three exceptions of Thallo, one for each party that may be to blame, and the assertions.
//
//   UserError      a request that cannot go on                         exit code 2
//   DeviceError    a driver or library call failed                     exit code 3
//   InternalError  a bug of Thallo; the text asks to report it         exit code 4
//
// A failure that a caller can expect is an Expected<T> (core/base/diagnostic.h) instead; only code
// that serves a command (core/cli, core/explore) turns one into a UserError. Assertions guard
// invariants of Thallo and are never reachable from input. They stay on in release builds: they
// guard decisions of a compiler, not its inner loops.
#pragma once

#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "core/base/diagnostic.h"

namespace thallo {

class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& what) : std::runtime_error(what) {}
  explicit UserError(const Diagnostic& diagnostic) : std::runtime_error(diagnostic.message()) {}
};

// `code` is the name and number the library gave ("CUDA_ERROR_ILLEGAL_ADDRESS (700)"); `kernel` is
// the label of the launch and empty for other calls.
class DeviceError : public std::runtime_error {
 public:
  DeviceError(std::string call, std::string code, std::string kernel = {});

  const std::string& call() const { return call_; }
  const std::string& code() const { return code_; }
  const std::string& kernel() const { return kernel_; }

 private:
  std::string call_;
  std::string code_;
  std::string kernel_;
};

class InternalError : public std::logic_error {
 public:
  InternalError(const std::string& what, const char* file, int line);
};

namespace detail {

[[noreturn]] void throw_internal_error(const std::string& what, const char* file, int line);

template <class A, class B>
[[noreturn]] void fail_comparison(const char* text, const A& a, const B& b, const char* file,
                                  int line) {
  throw_internal_error(fmt::format("{} does not hold: left is {}, right is {}", text, a, b), file,
                       line);
}

}  // namespace detail
}  // namespace thallo

// THALLO_ASSERT(condition) or THALLO_ASSERT(condition, "format {}", arguments...)
#define THALLO_ASSERT(condition, ...)                                                          \
  do {                                                                                         \
    if (!(condition)) [[unlikely]]                                                             \
      ::thallo::detail::throw_internal_error(                                                  \
          #condition " does not hold" __VA_OPT__(": " + ::fmt::format(__VA_ARGS__)), __FILE__, \
          __LINE__);                                                                           \
  } while (false)

// Comparisons print both operands, which must be printable with fmt.
#define THALLO_ASSERT_COMPARE_(a, op, b)                                                   \
  do {                                                                                     \
    const auto& thallo_a_ = (a);                                                           \
    const auto& thallo_b_ = (b);                                                           \
    if (!(thallo_a_ op thallo_b_)) [[unlikely]]                                            \
      ::thallo::detail::fail_comparison(#a " " #op " " #b, thallo_a_, thallo_b_, __FILE__, \
                                        __LINE__);                                         \
  } while (false)
#define THALLO_ASSERT_EQ(a, b) THALLO_ASSERT_COMPARE_(a, ==, b)
#define THALLO_ASSERT_NE(a, b) THALLO_ASSERT_COMPARE_(a, !=, b)
#define THALLO_ASSERT_LT(a, b) THALLO_ASSERT_COMPARE_(a, <, b)
#define THALLO_ASSERT_LE(a, b) THALLO_ASSERT_COMPARE_(a, <=, b)

// Marks code that cannot be reached, e.g. after a switch over all enumerators.
#define THALLO_UNREACHABLE() \
  ::thallo::detail::throw_internal_error("unreachable code was reached", __FILE__, __LINE__)
