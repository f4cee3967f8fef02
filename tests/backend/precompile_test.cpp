// Programs compiled ahead: what is found in the cache afterwards, and what cannot be asked for.

#include "core/backend/precompile.h"

#include <gmock/gmock.h>

#include <map>
#include <stop_token>

#include "core/kernel/lower.h"
#include "tests/backend/springs.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::HasSubstr;

class Precompile : public testing::Test {
 protected:
  GeneratedProgram program() const {
    return generate(make_program(energy_, default_plan(energy_), {}));
  }

  Energy energy_ = test::springs();
  test::TempDir folder_;
  test::ScopedEnv cache_{"THALLO_CACHE_DIR", folder_.path().c_str()};
};

TEST_F(Precompile, LeavesNothingToCompile) {
  const auto backend = make_cpu_backend();
  if (!backend) GTEST_SKIP() << backend.error().what;
  const auto precompiler = make_precompiler("cpu");
  ASSERT_TRUE(precompiler) << precompiler.error().what;
  for (const CompileOptions& options :
       {CompileOptions{}, CompileOptions{.precision = Precision::Double, .index_bits = 64}}) {
    const auto ahead = (*precompiler)->compile(program(), options);
    ASSERT_TRUE(ahead) << ahead.error().what;
    const auto executable = (*backend)->compile(program(), options);
    ASSERT_TRUE(executable) << executable.error().what;
    const std::vector<CompiledKernel>& kernels = (*executable)->kernels();
    ASSERT_EQ(kernels.size(), ahead->size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      EXPECT_FALSE((*ahead)[i].from_cache) << kernels[i].label;
      EXPECT_TRUE(kernels[i].from_cache) << kernels[i].label;
      EXPECT_EQ(kernels[i].key, (*ahead)[i].key);
      EXPECT_EQ(kernels[i].source, (*ahead)[i].source);
    }
  }
}

TEST_F(Precompile, CompilesNothingTwice) {
  const auto precompiler = make_precompiler("cpu");
  if (!precompiler) GTEST_SKIP() << precompiler.error().what;
  ASSERT_TRUE((*precompiler)->compile(program(), {}));
  const auto again = (*precompiler)->compile(program(), {});
  ASSERT_TRUE(again) << again.error().what;
  for (const CompiledKernel& kernel : *again) EXPECT_TRUE(kernel.from_cache) << kernel.label;
}

TEST_F(Precompile, TellsOfEachKernelWhenItIsCompiled) {
  const auto precompiler = make_precompiler("cpu");
  if (!precompiler) GTEST_SKIP() << precompiler.error().what;
  std::map<std::size_t, CompiledKernel> told;
  const auto all =
      (*precompiler)->compile(program(), {}, [&](std::size_t kernel, const auto& record) {
        EXPECT_TRUE(told.emplace(kernel, record).second) << "twice";
      });
  ASSERT_TRUE(all) << all.error().what;
  ASSERT_EQ(told.size(), all->size());
  for (std::size_t k = 0; k < all->size(); ++k) {
    EXPECT_EQ(told[k].key, (*all)[k].key);
    EXPECT_EQ(told[k].source, (*all)[k].source);
  }
}

TEST_F(Precompile, CompilesNothingAfterItWasCancelled) {
  const auto precompiler = make_precompiler("cpu");
  if (!precompiler) GTEST_SKIP() << precompiler.error().what;
  std::stop_source cancel;
  cancel.request_stop();
  const auto refused = (*precompiler)->compile(program(), {.stop = cancel.get_token()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "compiling was cancelled");
  const auto again = (*precompiler)->compile(program(), {});
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_FALSE(again->front().from_cache);
}

TEST_F(Precompile, NeedsACache) {
  const test::ScopedEnv off("THALLO_CACHE_DIR", "");
  const auto precompiler = make_precompiler("cpu");
  ASSERT_FALSE(precompiler);
  EXPECT_THAT(precompiler.error().what, HasSubstr("set THALLO_CACHE_DIR to a folder"));
}

TEST_F(Precompile, NamesTheBackendsThatCompile) {
  const auto precompiler = make_precompiler("cdua", "sm_90");
  ASSERT_FALSE(precompiler);
  EXPECT_THAT(precompiler.error().message(), HasSubstr("did you mean 'cuda'? (legal: cpu, cuda)"));
}

TEST_F(Precompile, OfTheCpuIsForThisMachine) {
  if (!make_cpu_backend()) GTEST_SKIP() << "no C compiler";
  const auto precompiler = make_precompiler("cpu", "vax");
  ASSERT_FALSE(precompiler);
  EXPECT_THAT(precompiler.error().what, HasSubstr("for this machine"));
  EXPECT_THAT(precompiler.error().what, HasSubstr("not for 'vax'"));
}

}  // namespace
}  // namespace thallo
