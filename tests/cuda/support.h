// What the tests of the CUDA backend share: skipping by name, the architectures every text is
// compiled for.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/backend/backend.h"
#include "core/backend/cuda/compile.h"

namespace thallo::test {

// Turing, Hopper, consumer Blackwell.
inline constexpr std::array<std::string_view, 3> architectures{"sm_75", "sm_90", "sm_120"};

// A variable of the environment, for the time of a scope.
class Environment {
 public:
  Environment(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* old = std::getenv(name_.c_str())) old_ = old;
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    if (old_) {
      setenv(name_.c_str(), old_->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::string name_;
  std::optional<std::string> old_;
};

inline bool has_nvrtc() {
  static const bool found =
      cuda::compile_to_ptx({.name = "probe", .text = ""}, "sm_90").has_value();
  return found;
}

// Compiles without a word from the compiler, by default for every architecture.
inline void expect_compiles_silently(const cuda::Source& source,
                                     std::span<const std::string_view> targets = architectures) {
  for (const std::string_view architecture : targets) {
    SCOPED_TRACE(architecture);
    const auto image = cuda::compile_to_cubin(source, architecture);
    ASSERT_TRUE(image.has_value()) << image.error().what << "\n" << source.text;
    EXPECT_EQ(image->log, "") << source.text;
    EXPECT_TRUE(
        image->bytes.starts_with("\x7f"
                                 "ELF"));
  }
}

}  // namespace thallo::test

#define THALLO_REQUIRE_NVRTC()                               \
  if (!::thallo::test::has_nvrtc())                          \
  GTEST_SKIP() << "no CUDA run-time compiler: libnvrtc not " \
                  "found"

// Declares a Backend&, or skips with the reason.
#define THALLO_REQUIRE_CUDA(backend)                                  \
  const auto backend##_found = ::thallo::make_cuda_backend();         \
  if (!backend##_found) GTEST_SKIP() << backend##_found.error().what; \
  ::thallo::Backend& backend = **backend##_found
