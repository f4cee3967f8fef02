// What the tests of the CUDA backend share: skipping by name, the architectures every text is
// compiled for.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string_view>

#include "core/backend/backend.h"
#include "core/backend/cuda/compile.h"

namespace thallo::test {

// Turing, Hopper, consumer Blackwell.
inline constexpr std::array<std::string_view, 3> architectures{"sm_75", "sm_90", "sm_120"};

inline bool has_nvrtc() {
  static const bool found =
      cuda::compile_to_ptx({.name = "probe", .text = ""}, "sm_90").has_value();
  return found;
}

#define THALLO_REQUIRE_NVRTC()                               \
  if (!::thallo::test::has_nvrtc())                          \
  GTEST_SKIP() << "no CUDA run-time compiler: libnvrtc not " \
                  "found"

class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override { THALLO_REQUIRE_NVRTC(); }
};

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

// Declares a Backend&, or skips with the reason.
#define THALLO_REQUIRE_CUDA(backend)                                  \
  const auto backend##_found = ::thallo::make_cuda_backend();         \
  if (!backend##_found) GTEST_SKIP() << backend##_found.error().what; \
  ::thallo::Backend& backend = **backend##_found
