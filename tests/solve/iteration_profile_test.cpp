// The profile of a nonlinear iteration: which point it is taken at, and what it sums up.
#include "core/solve/iteration_profile.h"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel/lower.h"
#include "core/problem/driver.h"
#include "tests/solve/toy_energies.h"
#include "tests/support/backend_test.h"

namespace thallo {
namespace {

using test::Toy;
using testing::HasSubstr;

const StepTimingOptions Quick{.num_batches = 2};

SolverOptions damped_blocks() {
  SolverOptions options;
  options.solver = SolverKind::LevenbergMarquardt;
  options.preconditioner = "block_jacobi";
  return options;
}

class IterationProfiles : public test::BackendTest<> {
 protected:
  std::unique_ptr<Executable> bind(const Toy& toy, const SolverOptions& options) {
    auto executable = test::compiled(*backend_, toy.energy, default_plan(toy.energy),
                                     program_options({}, options));
    EXPECT_TRUE(executable->bind(toy.binding));
    return executable;
  }
};

TEST_P(IterationProfiles, AreTakenInTheMiddleOfALinearIteration) {
  const Toy toy = test::make_two_spaces(4, 30, 90);
  const auto executable = bind(toy, damped_blocks());
  const auto entered = enter_linear_iteration(*executable, damped_blocks());
  ASSERT_TRUE(entered) << entered.error().what;
  const SolverState state = executable->read_state();
  EXPECT_EQ(at(state, StateSlot::LinearIteration), 1);
  EXPECT_EQ(at(state, StateSlot::Stop), 0);
  EXPECT_GT(at(state, StateSlot::PAp), 0);
  EXPECT_GT(at(state, StateSlot::Rz), 0);
  EXPECT_GT(at(state, StateSlot::Beta), 0);
  EXPECT_GT(at(state, StateSlot::StepNorm2), 0);
}

TEST_P(IterationProfiles, HaveEveryStepAndTheLoop) {
  for (const Toy& toy : {test::make_two_spaces(4, 30, 90), test::make_smoothing(200, true)}) {
    const auto executable = bind(toy, damped_blocks());
    const auto profile = profile_iteration(*executable, damped_blocks(), Quick);
    ASSERT_TRUE(profile) << profile.error().what;
    for (const StepTiming& timing : profile->steps) {
      EXPECT_EQ(timing.fault, "") << timing.step.label;
      EXPECT_EQ(timing.hot.size(), 2u) << timing.step.label;
      EXPECT_EQ(timing.evicted.size(), 2u) << timing.step.label;
    }
    ASSERT_TRUE(profile->loop);
    EXPECT_GT(profile->loop->num_iterations, 1);
    EXPECT_EQ(profile->loop->seconds.size(), 2u);
    EXPECT_GT(profile->loop_seconds(), 0);

    Binding after = toy.binding;
    executable->download_unknowns(after);
    EXPECT_EQ(test::unknowns_of(toy.energy, after), test::unknowns_of(toy.energy, toy.binding));
  }
}

TEST_P(IterationProfiles, OfADenseSolverHaveNoLoop) {
  SolverOptions options = damped_blocks();
  options.linear_solver = "dense";
  const Toy toy = test::make_curve();
  const auto executable = bind(toy, options);
  const auto profile = profile_iteration(*executable, options, Quick);
  ASSERT_TRUE(profile) << profile.error().what;
  EXPECT_FALSE(profile->loop);
  EXPECT_TRUE(std::isnan(profile->loop_seconds()));
  EXPECT_EQ(profile->linear_iteration_seconds(CacheUse::Hot), 0);
  for (const StepTiming& timing : profile->steps) {
    EXPECT_EQ(timing.fault, "") << timing.step.label;
  }
}

// The first linear iteration solves the system of x(0) + x(1) = 1 exactly.
TEST_P(IterationProfiles, OfASystemThatOneIterationSolvesAreTakenInTheFirst) {
  SolverOptions options;
  const Toy toy = test::make_underdetermined();
  const auto executable = bind(toy, options);
  const auto profile = profile_iteration(*executable, options, Quick);
  ASSERT_TRUE(profile) << profile.error().what;
  for (const StepTiming& timing : profile->steps) {
    EXPECT_EQ(timing.fault, "") << timing.step.label;
  }
  ASSERT_TRUE(profile->loop);
  EXPECT_LT(profile->loop->num_iterations, 100);
}

TEST_P(IterationProfiles, WantAGradient) {
  Toy toy = test::make_underdetermined();
  const auto executable = bind(toy, {});
  Binding solved = toy.binding;
  const FieldId x = executable->program().unknowns.front();
  ASSERT_TRUE(solved.set_field(executable->program().field(x).name, std::vector{0.5, 0.5}));
  ASSERT_TRUE(executable->bind(solved));
  const auto profile = profile_iteration(*executable, {}, Quick);
  ASSERT_FALSE(profile);
  EXPECT_THAT(profile.error().what, HasSubstr("is zero at the start"));
}

INSTANTIATE_TEST_SUITE_P(Backends, IterationProfiles, testing::Values("interpreter", "cpu", "cuda"),
                         [](const auto& test) { return test.param; });

TEST(IterationProfile, SumsUpWhatALinearIterationRuns) {
  const auto timing = [](Phase phase, double hot, double evicted) {
    return StepTiming{.step = {.phase = phase}, .hot = {hot}, .evicted = {evicted}};
  };
  IterationProfile profile;
  profile.reset_period = 10;
  profile.steps = {timing(Phase::Linearize, 100, 1000), timing(Phase::Direction, 1, 2),
                   timing(Phase::Apply, 4, 8),          timing(Phase::Apply, 2, 4),
                   timing(Phase::Update, 3, 6),         timing(Phase::ResetApply, 20, 50)};
  EXPECT_DOUBLE_EQ(profile.linear_iteration_seconds(CacheUse::Hot), 12);
  EXPECT_DOUBLE_EQ(profile.linear_iteration_seconds(CacheUse::Evicted), 25);
  profile.steps[2].step.is_launched = false;
  profile.steps[2].hot.clear();
  EXPECT_DOUBLE_EQ(profile.linear_iteration_seconds(CacheUse::Hot), 8);
  profile.steps[1].hot.clear();
  EXPECT_TRUE(std::isnan(profile.linear_iteration_seconds(CacheUse::Hot)));
}

}  // namespace
}  // namespace thallo
