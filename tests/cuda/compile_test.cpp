// NVRTC as the backend uses it, and that the hand-written kernels compile without warnings.
#include "core/backend/cuda/compile.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stop_token>
#include <string>
#include <vector>

#include "core/backend/cuda/sources.h"
#include "core/base/log.h"
#include "core/kernel/emit.h"
#include "core/kernel/lower.h"
#include "tests/cuda/support.h"
#include "tests/support/energies.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo::cuda {
namespace {

using CudaCompile = test::NvrtcTest;
using test::expect_compiles_silently;
using test::ScopedEnv;
using testing::HasSubstr;

const Source twice{.name = "twice",
                   .text =
                       "extern \"C\" __global__ void twice(float* x) {\n"
                       "  x[threadIdx.x] *= 2.0f;\n"
                       "}\n",
                   .comment = "// doubles x\n"};

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(CudaCompile, MakesACubinForEveryArchitectureAndReadablePtx) {
  expect_compiles_silently(twice);
  THALLO_REQUIRE_NVRTC();
  const auto ptx = compile_to_ptx(twice, "sm_90");
  ASSERT_TRUE(ptx.has_value()) << ptx.error().what;
  EXPECT_THAT(ptx->bytes, HasSubstr(".visible .entry twice("));
  EXPECT_THAT(ptx->bytes, HasSubstr(".target sm_90"));
}

// A word is 8 bytes; the limit of CUDA 12.1 and later is 32764.
TEST_F(CudaCompile, RefusesKernelsOfMoreArgumentsThanALaunchPasses) {
  EnergyBuilder e("sum");
  const DimId n = e.dim("N");
  const auto x = e.unknown("x", {n});
  e.residual("fit", x(e.domain(n)));
  const Energy energy = test::build(std::move(e));
  const KernelProgram program = make_program(energy, default_plan(energy), {});
  KernelCode code{.role = "cost", .label = "cost [fit]"};
  code.slots.fields.assign(400, x.id());
  EXPECT_TRUE(check_arguments(program, code));
  code.slots.fields.assign(4100, x.id());
  const auto refused = check_arguments(program, code);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what,
              HasSubstr("kernel 'cost [fit]' takes 4100 fields, 0 sparse maps and their sizes, "
                        "32832 bytes, and CUDA (NVRTC "));
  EXPECT_THAT(refused.error().what, HasSubstr("split the part"));
}

TEST_F(CudaCompile, NamesKernelPlaceAndArchitectureOfAnError) {
  auto image = compile_to_cubin(
      {.name = "broken", .text = "extern \"C\" __global__ void broken() { undeclared = 1; }"},
      "sm_90");
  ASSERT_FALSE(image.has_value());
  EXPECT_THAT(image.error().what, HasSubstr("kernel 'broken' does not compile for sm_90"));
  EXPECT_THAT(image.error().what, HasSubstr("broken.cu(1)"));
  EXPECT_THAT(image.error().what, HasSubstr("undeclared"));
  THALLO_REQUIRE_NVRTC();
  image = compile_to_cubin(twice, "sm_12345");
  ASSERT_FALSE(image.has_value());
  EXPECT_THAT(image.error().what, HasSubstr("sm_12345"));
}

TEST_F(CudaCompile, HandsOnTheCompilersWarningsAndLeavesTheConditionalSetter) {
  const LogCapture log;
  const auto image = compile_to_cubin(
      {.name = "idle", .text = "extern \"C\" __global__ void idle() { int unused; }"}, "sm_90");
  ASSERT_TRUE(image.has_value());
  EXPECT_THAT(image->log, HasSubstr("unused"));
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_THAT(log.records()[0].text, HasSubstr("compiling 'idle'"));
  // The loop condition of a CUDA graph is set by a function that the driver resolves.
  expect_compiles_silently(
      {.name = "loop",
       .text = "extern \"C\" __device__ void cudaGraphSetConditional(unsigned long long handle, "
               "unsigned int value);\n"
               "extern \"C\" __global__ void loop(unsigned long long handle) {\n"
               "  cudaGraphSetConditional(handle, 0);\n"
               "}\n"});
}

TEST_F(CudaCompile, CompilesEqualTextsOnceAndKeepsTheOrder) {
  Source thrice = twice;
  thrice.name = "thrice";
  thrice.text.replace(thrice.text.find("2.0f"), 4, "3.0f");
  const std::vector<Source> sources{twice, thrice, twice};
  const auto images = compile_all(sources, "sm_90");
  ASSERT_TRUE(images.has_value()) << images.error().what;
  ASSERT_EQ(images->size(), 3u);
  EXPECT_EQ((*images)[0].key, (*images)[2].key);
  EXPECT_EQ((*images)[0].bytes, (*images)[2].bytes);
  EXPECT_NE((*images)[0].key, (*images)[1].key);
  EXPECT_NE((*images)[0].bytes, (*images)[1].bytes);
}

TEST_F(CudaCompile, FindsOnDiskWhatWasCompiledBeforeUnlessItIsAskedAnew) {
  const test::TempDir folder;
  const ScopedEnv cache("THALLO_CACHE_DIR", folder.path().c_str());
  const auto first = compile_all({&twice, 1}, "sm_90");
  const auto second = compile_all({&twice, 1}, "sm_90");
  const auto other = compile_all({&twice, 1}, "sm_75");
  ASSERT_TRUE(first && second && other);
  EXPECT_FALSE(first->front().from_cache);
  EXPECT_TRUE(second->front().from_cache);
  EXPECT_EQ(second->front().bytes, first->front().bytes);
  EXPECT_FALSE(other->front().from_cache);
  const auto anew = compile_anew(twice, "sm_90");
  ASSERT_TRUE(first && anew);
  EXPECT_FALSE(anew->from_cache);
  EXPECT_EQ(anew->bytes, first->front().bytes);
  EXPECT_EQ(anew->key, canonical_key(twice.text, "sm_90").hex());
  EXPECT_EQ(first->front().key, anew->key);
}

TEST_F(CudaCompile, BeginsNoTextAfterItWasCancelled) {
  const test::TempDir folder;
  const ScopedEnv cache("THALLO_CACHE_DIR", folder.path().c_str());
  Source thrice = twice;
  thrice.text.replace(thrice.text.find("2.0f"), 4, "3.0f");
  const std::vector<Source> sources{twice, thrice, twice};
  std::stop_source cancel;
  std::vector<std::size_t> done;
  const auto images =
      compile_all(sources, "sm_90", 1, cancel.get_token(), [&](std::size_t source, const auto&) {
        done.push_back(source);
        cancel.request_stop();
      });
  ASSERT_FALSE(images);
  EXPECT_EQ(images.error().what, "compiling was cancelled");
  EXPECT_THAT(done, testing::ElementsAre(0, 2)) << "equal texts are done together";
}

TEST_F(CudaCompile, HandsOnWhatTheCompilerSaidWhenItCompiled) {
  const test::TempDir folder;
  const ScopedEnv cache("THALLO_CACHE_DIR", folder.path().c_str());
  const Source careless{
      .name = "careless",
      .text = "extern \"C\" __global__ void careless(float* x) { int unused; *x = 1.0f; }\n"};
  const std::vector<Source> sources{careless, twice};
  const auto first = compile_all(sources, "sm_90");
  const auto second = compile_all(sources, "sm_90");
  ASSERT_TRUE(first && second);
  EXPECT_NE((*first)[0].warnings.find("unused"), std::string::npos) << (*first)[0].warnings;
  EXPECT_EQ((*first)[1].warnings, "");
  EXPECT_EQ((*second)[0].warnings, "") << "it was not compiled";
}

TEST_F(CudaCompile, DumpsTextWithItsCommentAndPtx) {
  const test::TempDir folder;
  const ScopedEnv dump("THALLO_DUMP", folder.path().c_str());
  Source other = twice;
  other.text += "// another kernel of the same role\n";
  const std::vector<Source> sources{twice, other, twice};
  const auto images = compile_all(sources, "sm_90");
  ASSERT_TRUE(images.has_value()) << images.error().what;
  const auto kernels = folder.path() / "kernels";
  EXPECT_EQ(content(kernels / "twice.cu"), twice.comment + twice.text);
  EXPECT_THAT(content(kernels / "twice.ptx"), HasSubstr(".entry twice("));
  EXPECT_EQ(content(kernels / "twice_2.cu"), other.comment + other.text);
  EXPECT_FALSE(std::filesystem::exists(kernels / "twice_3.cu"));
}

TEST_F(CudaCompile, KernelsOfOurOwnCompile) {
  expect_compiles_silently(own_source("calibrate"));
  THALLO_REQUIRE_NVRTC();
  expect_compiles_silently(own_source("batch"));
  THALLO_REQUIRE_NVRTC();
  expect_compiles_silently(own_source("step_bench"));
}

}  // namespace
}  // namespace thallo::cuda
