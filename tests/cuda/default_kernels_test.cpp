// The default and the opt schedule of every problem, for the oldest and the newest architecture:
// each kernel for one of them, or, with THALLO_SLOW_TESTS, for both.
//
// All problems take half a minute, so that the default run takes those between which each kind of
// access is there: stencils and samples of images, sparse maps, several unknowns, manifolds.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "core/kernel/lower.h"
#include "core/problem/choose_schedule.h"
#include "core/problem/driver.h"
#include "core/schedule/gather.h"
#include "core/schedule/schedule.h"
#include "tests/cuda/distinct_kernels.h"
#include "tests/cuda/support.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/loaded_constructs.h"

namespace thallo::test {
namespace {

DistinctKernels default_kernels(const std::function<bool(const std::string& problem)>& takes) {
  DistinctKernels all;
  for (const SmallInstance& small : small_instances()) {
    if (!takes(small.problem)) continue;
    const Problem& problem = *loaded_problems().find(small.problem);
    const auto options = complete_options(problem.options(), small.options);
    const EnergyFile file = problem.energy(*options).value();
    const Instance instance = problem.instantiate(file.energy, *options).value();
    for (const char* name : {"default", "opt"}) {
      const Schedule schedule = choose_schedule(name, file, loaded_constructs()).value();
      const Plan plan = make_plan(file.energy, schedule, loaded_constructs()).value();
      ProgramOptions program = program_options(file.defaults, instance.solver);
      program.sums_groups = true;
      all.add(small.problem + " " + name, file.energy, plan, program, instance.precision);
    }
  }
  return all;
}

DistinctKernels all_default_kernels() {
  return default_kernels([](const std::string&) { return true; });
}

// All texts, and through NVRTC those of problems with a stencil, with maps and with a few unknowns
// that all residuals read.
TEST(DeterministicKernels, HaveNoAtomicAdditions) {
  DistinctKernels all, some;
  for (const SmallInstance& small : small_instances()) {
    const Made made = make(small.problem, small.options);
    const ProgramOptions program{.solver = SolverKind::LevenbergMarquardt,
                                 .preconditioner = block_jacobi_preconditioner(),
                                 .precision = Precision::Mixed,
                                 .is_deterministic = true};
    const auto add_to = [&](DistinctKernels& kernels) {
      kernels.add(small.problem, made.energy, gathered_plan(made.energy), program,
                  Precision::Mixed);
    };
    add_to(all);
    if (std::set<std::string>{"curve_fit", "image_warping", "pose_graph"}.contains(small.problem))
      add_to(some);
  }
  EXPECT_GT(all.size(), 100u);
  EXPECT_EQ(all.asked_with("atomicAdd"), "");
  EXPECT_EQ(all.asked_with("atomicMax"), "");
  EXPECT_NE(all.asked_with("a.sums"), "");
  THALLO_REQUIRE_NVRTC();
  some.expect_compile_silently({"sm_90"});
}

#ifdef THALLO_SLOW_TESTS

TEST(KernelsOfProblems, CompileSilentlyForTuring) {
  THALLO_REQUIRE_NVRTC();
  all_default_kernels().expect_compile_silently({"sm_75"});
}

TEST(KernelsOfProblems, CompileSilentlyForBlackwell) {
  THALLO_REQUIRE_NVRTC();
  all_default_kernels().expect_compile_silently({"sm_120"});
}

#else

TEST(KernelsOfProblems, CompileSilentlyForTuringOrBlackwell) {
  THALLO_REQUIRE_NVRTC();
  const DistinctKernels kernels = all_default_kernels();
  EXPECT_GT(kernels.size(), 100u);
  kernels.expect_compile_silently({"sm_75", "sm_120"});
}

// Finds what NVRTC or ptxas say of the kernels that solves run, which no other test compiles.
TEST(KernelsOfSomeProblems, CompileSilentlyForTuringOrBlackwell) {
  THALLO_REQUIRE_NVRTC();
  const std::set<std::string> some = {"bundle_adjustment", "optical_flow", "pose_graph"};
  const DistinctKernels kernels =
      default_kernels([&](const std::string& problem) { return some.contains(problem); });
  EXPECT_GT(kernels.size(), 50u);
  kernels.expect_compile_silently({"sm_75", "sm_120"});
}

#endif

}  // namespace
}  // namespace thallo::test
