// What is read from cubins is what the compiler says when asked to be verbose.
#include "core/backend/cuda/cubin.h"

#include <gmock/gmock.h>

#include <regex>
#include <string>

#include "tests/cuda/support.h"
#include "tests/support/nvrtc.h"

namespace thallo::cuda {
namespace {

// The number before a word of NVRTC's log of a text with one kernel; 0 where it says none.
int number_before(const std::string& log, const std::string& word) {
  std::smatch found;
  return std::regex_search(log, found, std::regex("([0-9]+) " + word)) ? std::stoi(found[1]) : 0;
}

struct UsageCase {
  const char* name;
  const char* body;  // of a kernel over (float* x, int n)
  bool has_local;
  bool has_shared;
};
void PrintTo(const UsageCase& tested, std::ostream* stream) { *stream << tested.name; }

constexpr UsageCase Cases[] = {
    {"simple", "x[threadIdx.x] *= 2.0f;", false, false},
    {"spilling",
     "float a[64];\n"
     "#pragma unroll\n"
     "for (int i = 0; i < 64; ++i) a[i] = x[i * 1024 + threadIdx.x];\n"
     "#pragma unroll\n"
     "for (int i = 0; i < 64; ++i) a[i] = a[(i * 7 + 3) % 64] * a[(i * 5 + 1) % 64] + x[i];\n"
     "#pragma unroll\n"
     "for (int i = 0; i < 64; ++i) x[i * 1024 + threadIdx.x] = a[i];",
     true, false},
    {"indexed",
     "float a[67];\n"
     "for (int i = 0; i < 67; ++i) a[i] = x[i * n];\n"
     "for (int i = 0; i < 67; ++i) a[(n * i) % 67] += a[i * i % 67];\n"
     "x[0] = a[n] + a[n * 3 % 67];",
     true, false},
    {"sharing",
     "__shared__ float s[100];\n"
     "s[threadIdx.x] = x[threadIdx.x];\n"
     "__syncthreads();\n"
     "x[0] = s[n];",
     false, true}};

class CubinUsage : public testing::TestWithParam<UsageCase> {};

TEST_P(CubinUsage, IsWhatTheCompilerSays) {
  THALLO_REQUIRE_NVRTC();
  // At most 32 registers a thread.
  const std::string text =
      std::string(
          "extern \"C\" __global__ void __launch_bounds__(1024, 2) tested(float* x, int n) "
          "{\n") +
      GetParam().body + "\n}\n";
  for (const std::string architecture : {"sm_80", "sm_90", "sm_100"}) {
    SCOPED_TRACE(architecture);
    const auto image = compile_to_cubin({.name = "tested", .text = text}, architecture);
    ASSERT_TRUE(image) << image.error().what;
    const auto usage = read_kernel_usage(image->bytes, "tested");
    ASSERT_TRUE(usage) << usage.error().what;
    const test::NvrtcResult said = test::compile_with_nvrtc(
        text, {"--gpu-architecture=" + architecture, "--std=c++17", "-default-device",
               "--fmad=true", "-lineinfo", "--ptxas-options=-v"});
    ASSERT_TRUE(said.ok) << said.log;
    EXPECT_EQ(usage->registers, number_before(said.log, "registers")) << said.log;
    EXPECT_EQ(usage->local_bytes, number_before(said.log, "bytes stack frame")) << said.log;
    EXPECT_EQ(usage->shared_bytes, number_before(said.log, "bytes smem")) << said.log;
    EXPECT_GT(usage->registers, 0);
    EXPECT_EQ(usage->local_bytes > 0, GetParam().has_local);
    EXPECT_EQ(usage->shared_bytes > 0, GetParam().has_shared);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CubinUsage, testing::ValuesIn(Cases),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace thallo::cuda
