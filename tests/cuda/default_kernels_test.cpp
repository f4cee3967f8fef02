// The default and the opt schedule of every problem, for the oldest and the newest architecture:
// each kernel for one of them, or, with THALLO_SLOW_TESTS, for both.
#include <gtest/gtest.h>

#include "core/kernel/lower.h"
#include "core/problem/choose_schedule.h"
#include "core/problem/driver.h"
#include "core/schedule/schedule.h"
#include "tests/cuda/distinct_kernels.h"
#include "tests/cuda/support.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/loaded_constructs.h"

namespace thallo::test {
namespace {

const DistinctKernels& default_kernels() {
  static const DistinctKernels kernels = [] {
    DistinctKernels all;
    for (const SmallInstance& small : small_instances()) {
      const Problem& problem = *loaded_problems().find(small.problem);
      const auto options = complete_options(problem.options(), small.options);
      const EnergyFile file = problem.energy(*options).value();
      const Instance instance = problem.instantiate(file.energy, *options).value();
      for (const char* name : {"default", "opt"}) {
        const Schedule schedule = choose_schedule(name, file, loaded_constructs()).value();
        const Plan plan = make_plan(file.energy, schedule, loaded_constructs()).value();
        all.add(small.problem + " " + name, file.energy, plan,
                program_options(file.defaults, instance.solver), instance.precision);
      }
    }
    return all;
  }();
  return kernels;
}

#ifdef THALLO_SLOW_TESTS

TEST(KernelsOfProblems, CompileSilentlyForTuring) {
  THALLO_REQUIRE_NVRTC();
  default_kernels().expect_compile_silently({"sm_75"});
}

TEST(KernelsOfProblems, CompileSilentlyForBlackwell) {
  THALLO_REQUIRE_NVRTC();
  default_kernels().expect_compile_silently({"sm_120"});
}

#else

TEST(KernelsOfProblems, CompileSilentlyForTuringOrBlackwell) {
  THALLO_REQUIRE_NVRTC();
  EXPECT_GT(default_kernels().size(), 100u);
  default_kernels().expect_compile_silently({"sm_75", "sm_120"});
}

#endif

}  // namespace
}  // namespace thallo::test
