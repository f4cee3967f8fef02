// Every distinct kernel of a sample of schedules of each problem, in float, for Hopper.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <iostream>

#include "core/energy/found/intermediates.h"
#include "core/search/schedule_space.h"
#include "tests/cuda/distinct_kernels.h"
#include "tests/cuda/support.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/damped_blocks.h"
#include "tests/support/loaded_constructs.h"

namespace thallo::test {
namespace {

constexpr std::uint64_t NumSchedules = 20;  // of a problem

class SampledKernels : public testing::TestWithParam<SmallInstance> {};

TEST_P(SampledKernels, CompileSilentlyForHopper) {
  THALLO_REQUIRE_NVRTC();
  const Made made = make(GetParam().problem, GetParam().options);
  const Energy sited = with_found_intermediates(made.energy);
  const ScheduleSpace space(sited, loaded_constructs());
  DistinctKernels kernels;
  for (std::uint64_t seed = 0; seed < NumSchedules; ++seed) {
    const ScheduleSpace::Sample sample = space.sample(seed);
    kernels.add(sample.schedule.text(loaded_constructs()), sited, sample.plan, damped_blocks,
                Precision::Float);
  }
  std::cout << fmt::format("{}: {} distinct kernels of {} schedules\n", GetParam().problem,
                           kernels.size(), NumSchedules);
  kernels.expect_compile_silently({"sm_90"});
}

INSTANTIATE_TEST_SUITE_P(Problems, SampledKernels, testing::ValuesIn(small_instances()),
                         [](const auto& test) {
                           return fmt::format("{}_{}", test.param.problem, test.index);
                         });

}  // namespace
}  // namespace thallo::test
