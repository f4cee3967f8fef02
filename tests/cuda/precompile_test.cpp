// CUDA programs compiled ahead, without a device.

#include "core/backend/precompile.h"

#include <gmock/gmock.h>

#include "core/backend/cuda/sources.h"
#include "core/energy/builder.h"
#include "core/kernel/lower.h"
#include "tests/cuda/support.h"
#include "tests/support/energies.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

class CudaPrecompile : public testing::Test {
 protected:
  GeneratedProgram program() const {
    return generate(
        make_program(energy_, default_plan(energy_),
                     {SolverKind::GaussNewton, jacobi_preconditioner(), dense_solver()}));
  }

  Energy energy_ = test::columns_energy();
  test::TempDir folder_;
  test::ScopedEnv cache_{"THALLO_CACHE_DIR", folder_.path().c_str()};
};

TEST_F(CudaPrecompile, FillsTheCacheForAnArchitectureAndSaysWhatKernelsUse) {
  THALLO_REQUIRE_NVRTC();
  const auto precompiler = make_precompiler("cuda", "sm_90");
  ASSERT_TRUE(precompiler) << precompiler.error().what;
  const CompileOptions options{.index_bits = 64};
  const auto compiled = (*precompiler)->compile(program(), options);
  ASSERT_TRUE(compiled) << compiled.error().what;
  EXPECT_EQ(compiled->size(), program().codes.size());
  const KernelCache cache = KernelCache::open();
  for (const int index_bits : {32, 64}) {
    for (const cuda::Source& source : cuda::program_sources(program(), options, index_bits)) {
      EXPECT_TRUE(cache.find(cuda::cache_key(source, "sm_90"))) << source.name << index_bits;
      EXPECT_FALSE(cache.find(cuda::cache_key(source, "sm_80"))) << source.name << index_bits;
    }
  }
  // Also of kernels that are in the cache.
  const auto found = (*precompiler)->compile(program(), options);
  ASSERT_TRUE(found) << found.error().what;
  for (std::size_t i = 0; i < compiled->size(); ++i) {
    const CompiledKernel& kernel = (*compiled)[i];
    EXPECT_GT(kernel.registers, 0) << kernel.label;
    EXPECT_TRUE((*found)[i].from_cache) << kernel.label;
    EXPECT_EQ((*found)[i].registers, kernel.registers) << kernel.label;
    EXPECT_EQ((*found)[i].shared_bytes, kernel.shared_bytes) << kernel.label;
  }
}

TEST_F(CudaPrecompile, WithoutADeviceWantsAnArchitecture) {
  THALLO_REQUIRE_NVRTC();
  if (make_cuda_backend()) GTEST_SKIP() << "there is a CUDA device";
  const auto precompiler = make_precompiler("cuda");
  ASSERT_FALSE(precompiler);
  EXPECT_THAT(precompiler.error().what, testing::HasSubstr("name the architecture"));
}

TEST_F(CudaPrecompile, LeavesNothingToCompileOnADevice) {
  THALLO_REQUIRE_CUDA(cuda);
  const auto precompiler = make_precompiler("cuda");
  ASSERT_TRUE(precompiler) << precompiler.error().what;
  ASSERT_TRUE((*precompiler)->compile(program(), {}));
  const auto executable = cuda.compile(program(), {});
  ASSERT_TRUE(executable) << executable.error().what;
  for (const CompiledKernel& kernel : (*executable)->kernels()) {
    EXPECT_TRUE(kernel.from_cache) << kernel.label;
  }
}

TEST_F(CudaPrecompile, KernelsOverTheMembersOfABatchCompile) {
  THALLO_REQUIRE_NVRTC();
  EnergyBuilder e("fits");
  const DimId samples = e.dim("K"), members = e.batch("B");
  const auto c = e.unknown("c", {members}, 2), y = e.array("y", {samples, members});
  const auto k = e.domain(samples), b = e.domain(members);
  e.residual("fit", c(b)[0] * exp(c(b)[1]) - y(k, b));
  const auto energy = std::move(e).build();
  ASSERT_TRUE(energy) << energy.error().message();
  const auto precompiler = make_precompiler("cuda", "sm_90");
  ASSERT_TRUE(precompiler) << precompiler.error().what;
  for (const auto& [solver, precision] :
       {std::pair(dense_solver(), Precision::Double), std::pair(pcg_solver(), Precision::Mixed)}) {
    const auto compiled =
        (*precompiler)
            ->compile(generate(make_program(*energy, default_plan(*energy),
                                            {.solver = SolverKind::LevenbergMarquardt,
                                             .linear_solver = solver,
                                             .precision = precision})),
                      {.precision = precision});
    EXPECT_TRUE(compiled) << compiled.error().what;
  }
}

}  // namespace
}  // namespace thallo
