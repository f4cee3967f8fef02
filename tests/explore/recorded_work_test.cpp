// The work of steps as the store keeps it.

#include "core/explore/worker/recorded_work.h"

#include <gmock/gmock.h>

#include "core/base/assets.h"
#include "core/cost/device/spec_file.h"
#include "core/cost/model/analytic.h"
#include "core/problem/driver.h"
#include "core/search/schedule_space.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

class RecordedWorkOfProblem : public testing::TestWithParam<test::SmallInstance> {};

// Equal accesses are written as one, so that their counts add up in another order.
TEST_P(RecordedWorkOfProblem, IsPredictedAsTheStepItself) {
  const test::Made made = test::make(GetParam().problem, GetParam().options);
  const ProgramOptions options = program_options({}, made.instance.solver);
  const DeviceSpec device = read_device_spec(*find_asset("devices/h200.toml")).value();
  const auto model = make_analytic_model();
  const ScheduleSpace space(made.energy, test::loaded_constructs());
  int num_steps = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Plan plan = space.sample(seed).plan;
    const auto work = work_of(made.energy, plan, options, made.instance.binding);
    if (!work) continue;  // a plan without a program
    for (const StepWork& step : work->steps) {
      const auto recorded = parse_recorded_work(text_of(step, work->maps));
      ASSERT_TRUE(recorded.has_value()) << recorded.error().message();
      const double expected = model->seconds(step, *work, device);
      EXPECT_NEAR(model->seconds(recorded->step, recorded->program(work->loop_bytes), device),
                  expected, 1e-9 * expected)
          << step.label;
      EXPECT_EQ(recorded->step.label, step.label);
      ++num_steps;
    }
  }
  EXPECT_GT(num_steps, 0);
}
INSTANTIATE_TEST_SUITE_P(Problems, RecordedWorkOfProblem,
                         testing::ValuesIn(test::small_instances()));

TEST(RecordedWork, RefusesTextsOfEarlierVersions) {
  EXPECT_THAT(parse_recorded_work("").error().message(), testing::HasSubstr("no JSON"));
  EXPECT_THAT(parse_recorded_work(R"({"points": 4, "flops": 12})").error().message(),
              testing::HasSubstr("'step' is missing"));
}

}  // namespace
}  // namespace thallo
