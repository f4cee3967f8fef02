// The loop of the solve made step by step, and what it does when the data change between steps.
#include "core/solve/minimizer.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "core/energy/binding.h"
#include "core/energy/builder.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/schedule/plan.h"
#include "core/solve/ending.h"
#include "tests/solve/fake_executable.h"
#include "tests/solve/toy_energies.h"
#include "tests/support/backend_test.h"

namespace thallo {
namespace {

using test::ScriptedExecutable;
using test::ScriptedStep;
using test::Toy;
using testing::DoubleEq, testing::ElementsAre, testing::HasSubstr;

SolverOptions gn_steps(int iterations) {
  SolverOptions o;
  o.num_iterations = iterations;
  o.max_step_halvings = 0;
  o.max_step_lengthening = 1;
  o.max_radius_growth = 3;
  return o;
}

SolverOptions lm_steps(int iterations) {
  SolverOptions o = gn_steps(iterations);
  o.solver = SolverKind::LevenbergMarquardt;
  o.function_tolerance = 0;
  return o;
}

// An energy that only gives a Binding something to be about; scripted executables read none of it.
const Binding& any_binding() {
  static const Toy toy = test::make_curve();
  return toy.binding;
}

bool step(Minimizer& minimizer) {
  const auto more = minimizer.step();
  EXPECT_TRUE(more) << more.error().message();
  return more && *more;
}

TEST(Minimizer, AStepIsARecord) {
  ScriptedExecutable e(100, {{90, 10}, {95}, {80, 10}});
  std::vector<int> seen;
  auto minimizer = Minimizer::begin(e, lm_steps(3), [&](const IterationRecord& record) {
    seen.push_back(record.iteration);
    return AfterIteration::GoOn;
  });
  ASSERT_TRUE(minimizer);
  EXPECT_THAT(seen, ElementsAre(0));
  EXPECT_EQ(minimizer->cost(), 100);
  EXPECT_TRUE(step(*minimizer));
  EXPECT_EQ(minimizer->cost(), 90);
  EXPECT_TRUE(step(*minimizer));
  EXPECT_EQ(minimizer->cost(), 90) << "a rejected step is a step";
  EXPECT_FALSE(step(*minimizer)) << "nIterations";
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3));
  EXPECT_FALSE(step(*minimizer));
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3)) << "after the end it does nothing";
  const SolverSummary summary = minimizer->finish();
  EXPECT_EQ(summary.final_cost, 80);
  EXPECT_EQ(summary.num_rejected, 1);
  EXPECT_EQ(summary.termination, Termination::MaxIterations);
}

TEST(Minimizer, WithoutIterationsItHasEndedAndFinishedEarlyItCountsAsCancelled) {
  ScriptedExecutable e(7, {});
  auto minimizer = Minimizer::begin(e, lm_steps(0));
  ASSERT_TRUE(minimizer);
  EXPECT_FALSE(step(*minimizer));
  EXPECT_EQ(minimizer->finish().num_iterations, 0);
  e = ScriptedExecutable(100, {{90}});
  minimizer = Minimizer::begin(e, gn_steps(10));
  ASSERT_TRUE(minimizer && step(*minimizer));
  const SolverSummary summary = minimizer->finish();
  EXPECT_EQ(summary.termination, Termination::Cancelled);
  EXPECT_EQ(summary.final_cost, 90);
  EXPECT_EQ(ending_of(summary), Ending::Stopped);
}

TEST(Minimizer, CallbackCanStopItAndNoTimeCountsBetweenSteps) {
  for (const int last : {0, 2}) {
    ScriptedExecutable e(100, std::vector<ScriptedStep>(10, {90}));
    const auto summary = solve(e, gn_steps(10), [last](const IterationRecord& record) {
      return record.iteration == last ? AfterIteration::Stop : AfterIteration::GoOn;
    });
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->termination, Termination::Cancelled);
    EXPECT_EQ(summary->num_iterations, last);
  }
  ScriptedExecutable e(100, std::vector<ScriptedStep>(3, {90}));
  SolverOptions o = gn_steps(3);
  o.max_solver_time_in_seconds = 0.05;
  auto minimizer = Minimizer::begin(e, o);
  ASSERT_TRUE(minimizer);
  while (step(*minimizer)) std::this_thread::sleep_for(std::chrono::milliseconds(60));
  const SolverSummary summary = minimizer->finish();
  EXPECT_EQ(summary.termination, Termination::MaxIterations);
  EXPECT_LT(summary.seconds.total, 0.05);
  EXPECT_LT(summary.times.iteration.max, 0.05);
}

TEST(Minimizer, ChangedDataStartItAnewWithTheRadiusThatItHas) {
  ScriptedExecutable e(100, {{90, 10}, {95}, {99, 1}});
  auto minimizer = Minimizer::begin(e, lm_steps(10));
  ASSERT_TRUE(minimizer && step(*minimizer) && step(*minimizer));
  ASSERT_TRUE(minimizer->upload(any_binding(), {}));
  ASSERT_TRUE(step(*minimizer));
  const SolverSummary summary = minimizer->finish();
  // The scripted cost at X is always 100, so the last step is accepted as one from there.
  EXPECT_EQ(summary.changed_cost, 100);
  EXPECT_EQ(summary.iterations[3].cost_change, 1);
  EXPECT_TRUE(summary.iterations[3].accepted);
  EXPECT_THAT(e.radii(), ElementsAre(1e4, DoubleEq(3e4), DoubleEq(1.5e4)));
  using enum Phase;
  EXPECT_THAT(e.phases(), ElementsAre(Setup, Values, Cost,                                   //
                                      Linearize, SaveScale,                                  //
                                      Damp, Apply, Retract, TrialValues, TrialCost, Accept,  //
                                      Linearize,                                             //
                                      Damp, Apply, Retract, TrialValues, TrialCost,          //
                                      Setup, Values, Cost,                                   //
                                      Linearize, SaveScale,                                  //
                                      Damp, Apply, Retract, TrialValues, TrialCost, Accept));
}

TEST(Minimizer, ChangedDataForgetRejectionsInARow) {
  ScriptedExecutable e(100, std::vector<ScriptedStep>(4, {101}));
  auto minimizer = Minimizer::begin(e, lm_steps(10));
  ASSERT_TRUE(minimizer && step(*minimizer) && step(*minimizer));
  ASSERT_TRUE(minimizer->upload(any_binding(), {}));
  ASSERT_TRUE(step(*minimizer) && step(*minimizer));
  EXPECT_THAT(e.radii(), ElementsAre(1e4, 1e4 / 2, 1e4 / 8, 1e4 / 16));
}

TEST(Minimizer, ChangedDataUnsettleACostThatHadSettled) {
  SolverOptions o = lm_steps(10);
  o.function_tolerance = 1e-3;
  const std::vector<ScriptedStep> steps(4, {99.99, 0.01});
  ScriptedExecutable e(100, steps), changed(100, steps);
  auto same = Minimizer::begin(e, o), other = Minimizer::begin(changed, o);
  ASSERT_TRUE(same && other);
  EXPECT_TRUE(step(*same) && step(*other));
  ASSERT_TRUE(other->upload(any_binding(), {}));
  EXPECT_FALSE(step(*same)) << "the second step confirms";
  EXPECT_TRUE(step(*other)) << "of the new energy it is the first";
  EXPECT_FALSE(step(*other));
  EXPECT_EQ(at(changed.read_state(), StateSlot::QTolerance), 0.1 * o.q_tolerance);
  EXPECT_EQ(other->finish().termination, Termination::FunctionTolerance);
}

TEST(Minimizer, ACostOfOtherDataIsNoRise) {
  ScriptedExecutable e(1, {{0.5}, {40}});
  auto minimizer = Minimizer::begin(e, gn_steps(2));
  ASSERT_TRUE(minimizer && step(*minimizer));
  e.set_cost(50);
  ASSERT_TRUE(minimizer->upload(any_binding(), {}));
  EXPECT_EQ(minimizer->cost(), 50);
  EXPECT_FALSE(step(*minimizer));
  const SolverSummary summary = minimizer->finish();
  EXPECT_EQ(summary.initial_cost, 1);
  EXPECT_EQ(summary.final_cost, 40);
  EXPECT_EQ(ending_of(summary), Ending::Stopped);
}

TEST(Minimizer, DataWithoutFiniteCostAreRefusedUntilTheyAreOthers) {
  ScriptedExecutable e(100, {{90}, {80}});
  auto minimizer = Minimizer::begin(e, gn_steps(10));
  ASSERT_TRUE(minimizer && step(*minimizer));
  e.set_cost(std::numeric_limits<double>::infinity());
  ASSERT_TRUE(minimizer->upload(any_binding(), {}));
  for (int again = 0; again < 2; ++again) {
    const auto refused = minimizer->step();
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("at the changed data is inf"));
    EXPECT_FALSE(minimizer->cost());
  }
  e.set_cost(85);
  ASSERT_TRUE(minimizer->upload(any_binding(), {}));
  EXPECT_TRUE(step(*minimizer));
  EXPECT_EQ(minimizer->finish().final_cost, 80);
}

TEST(Minimizer, TellsTheTimesOfItsIterations) {
  // A fake phase takes 1 ns: linearize 2 (with the scale) and 1, then none after a rejection;
  // linear solves 2; trial points 3, and 1 for an acceptance.
  ScriptedExecutable e(100, {{90, 10}, {95}, {80, 10}});
  const auto summary = solve(e, lm_steps(3));
  ASSERT_TRUE(summary);
  const SolverTimes& times = summary->times;
  EXPECT_EQ(times.total.count, 1);
  EXPECT_EQ(times.total.mean, summary->seconds.total);
  EXPECT_EQ(times.iteration.count, 3);
  EXPECT_LE(times.iteration.min, times.iteration.mean);
  EXPECT_LE(times.iteration.mean, times.iteration.max);
  EXPECT_EQ(times.linearize.count, 2);
  EXPECT_NEAR(times.linearize.min, 1e-9, 1e-12);
  EXPECT_NEAR(times.linearize.max, 2e-9, 1e-12);
  EXPECT_NEAR(times.linearize.deviation, 0.5e-9, 1e-12);
  EXPECT_EQ(times.linear.count, 3);
  EXPECT_NEAR(times.linear.mean, 2e-9, 1e-12);
  EXPECT_NEAR(times.linear.deviation, 0, 1e-12);
  EXPECT_NEAR(times.resolve.min, 3e-9, 1e-12);
  EXPECT_NEAR(times.resolve.max, 4e-9, 1e-12);
  EXPECT_NEAR(times.resolve.mean, 11e-9 / 3, 1e-12);
}

TEST(SecondsSpread, HasMeanAndDeviation) {
  const SecondsSpread spread = SecondsSpread::of({1, 2, 6});
  EXPECT_EQ(spread.count, 3);
  EXPECT_EQ(spread.min, 1);
  EXPECT_EQ(spread.max, 6);
  EXPECT_EQ(spread.mean, 3);
  EXPECT_DOUBLE_EQ(spread.deviation, std::sqrt(14.0 / 3));
  EXPECT_EQ(SecondsSpread::of({}).count, 0);
}

class BackendMinimizer : public test::BackendTest<> {};

// A weight is ramped: each step must be the step of a solve that starts there with that weight.
TEST_P(BackendMinimizer, AStepWithOtherDataIsTheFirstOfASolveFromThere) {
  Toy toy = test::make_smoothing(40);
  SolverOptions o = gn_steps(4);
  o.num_linear_iterations = 3;
  const ProgramOptions program{.solver = o.solver, .linear_solver = pcg_solver()};
  const auto make = [&] {
    return test::compiled(*backend_, toy.energy, default_plan(toy.energy), program);
  };
  const auto stepped = make(), single = make();
  ASSERT_TRUE(stepped->bind(toy.binding));
  auto minimizer = Minimizer::begin(*stepped, o);
  ASSERT_TRUE(minimizer);
  const FieldId w = toy.energy.find_field("w");
  for (const double weight : {1.0, 4.0, 16.0}) {
    stepped->download_unknowns(toy.binding);
    ASSERT_TRUE(toy.binding.set_param("w", weight));
    ASSERT_TRUE(minimizer->upload(toy.binding, std::vector{w}));
    ASSERT_TRUE(single->bind(toy.binding));
    SolverOptions one = o;
    one.num_iterations = 1;
    const auto first = solve(*single, one);
    ASSERT_TRUE(first);
    EXPECT_EQ(minimizer->cost(), first->initial_cost);
    ASSERT_TRUE(step(*minimizer));
    EXPECT_EQ(minimizer->cost(), first->final_cost);
    Binding a = toy.binding, b = toy.binding;
    stepped->download_unknowns(a);
    single->download_unknowns(b);
    EXPECT_EQ(test::unknowns_of(toy.energy, a), test::unknowns_of(toy.energy, b));
  }
  EXPECT_EQ(minimizer->finish().num_iterations, 3);
}

INSTANTIATE_TEST_SUITE_P(Host, BackendMinimizer, testing::Values("interpreter", "cpu", "cuda"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace thallo
