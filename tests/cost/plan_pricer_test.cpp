// The prices of plans, on every problem.

#include "core/cost/pricing/plan_pricer.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/assets.h"
#include "core/base/stop_scope.h"
#include "core/cost/device/spec_file.h"
#include "core/cost/pricing/estimate/kept.h"
#include "core/problem/driver.h"
#include "core/search/schedule_space.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

class PlanPricerOfProblem : public testing::TestWithParam<test::SmallInstance> {
 protected:
  std::vector<Plan> random_plans(std::uint64_t count) const {
    const ScheduleSpace space(energy_, test::loaded_constructs());
    std::vector<Plan> plans;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
      Plan plan = space.sample(seed).plan;
      if (check_program(energy_, plan, options_.program)) plans.push_back(std::move(plan));
    }
    return plans;
  }

  test::Made made_ = test::make(GetParam().problem, GetParam().options);
  Energy energy_ = with_found_intermediates(made_.energy);
  PriceOptions options_{.program = program_options({}, made_.instance.solver)};
  DeviceSpec device_ = read_device_spec(*find_asset("devices/h200.toml")).value();
};

// What is kept of other plans is what a plan would get by itself.
TEST_P(PlanPricerOfProblem, MakesEstimatesThatDoNotDependOnThoseBefore) {
  PlanPricer pricer(energy_, made_.instance.binding, options_, device_);
  for (int round = 0; round < 2; ++round) {
    for (const Plan& plan : random_plans(8)) {
      PlanPricer alone(energy_, made_.instance.binding, options_, device_);
      EXPECT_DOUBLE_EQ(pricer.estimated_seconds(plan), alone.estimated_seconds(plan));
    }
  }
}

TEST_P(PlanPricerOfProblem, AddsUpTheStepsThatItReturns) {
  PlanPricer pricer(energy_, made_.instance.binding, options_, device_);
  for (const Plan& plan : random_plans(4)) {
    EXPECT_EQ(pricer.estimate(plan).prediction.nonlinear_iteration, pricer.estimated_seconds(plan));
    for (const PricedPlan& priced : {pricer.price(plan), pricer.estimate(plan)}) {
      ASSERT_EQ(priced.work.steps.size(), priced.prediction.steps.size());
      IterationTime time(device_);
      for (std::size_t i = 0; i < priced.work.steps.size(); ++i)
        time.add(priced.work.steps[i].phase, priced.prediction.steps[i], options_.counts);
      EXPECT_EQ(time.nonlinear_iteration(options_.counts.linear_iterations),
                priced.prediction.nonlinear_iteration);
    }
  }
}

TEST_P(PlanPricerOfProblem, CannotBePaidWhereMemoryIsTooSmall) {
  device_.memory = 1;
  PlanPricer pricer(energy_, made_.instance.binding, options_, device_);
  const Plan plan = default_plan(energy_);
  EXPECT_EQ(pricer.estimated_seconds(plan), std::numeric_limits<double>::infinity());
  EXPECT_EQ(pricer.price(plan).prediction.nonlinear_iteration,
            std::numeric_limits<double>::infinity());
}

TEST_P(PlanPricerOfProblem, GoesOnAfterAComputationThatWasEnded) {
  PlanPricer pricer(energy_, made_.instance.binding, options_, device_);
  const Plan plan = default_plan(energy_);
  bool was_ended = false;
  try {
    const StepLimit limit(20);
    pricer.estimated_seconds(plan);
  } catch (const OutOfSteps&) {
    was_ended = true;
  }
  EXPECT_TRUE(was_ended);
  PlanPricer other(energy_, made_.instance.binding, options_, device_);
  EXPECT_EQ(pricer.estimated_seconds(plan), other.estimated_seconds(plan));
}

TEST(Kept, ForgetsAllOnceItIsFullAndLeavesResultsToTheirHolders) {
  int num_made = 0;
  Kept<int, int> squares(2);
  const auto square = [&](int n) {
    return squares.get(n, [&] {
      ++num_made;
      return n * n;
    });
  };
  const auto held = square(2);
  EXPECT_EQ(square(2), held);
  square(3);
  EXPECT_EQ(num_made, 2);
  EXPECT_EQ(*square(4), 16);
  EXPECT_EQ(*held, 4);
  EXPECT_EQ(*square(2), 4);
  EXPECT_EQ(num_made, 4);
}

INSTANTIATE_TEST_SUITE_P(Problems, PlanPricerOfProblem, testing::ValuesIn(test::small_instances()));

}  // namespace
}  // namespace thallo
