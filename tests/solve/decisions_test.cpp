// What the loops decide, step by step: every step's outcome is scripted, so each expected number
// follows from one rule of docs/algorithms.md, "Gauss-Newton", "Levenberg-Marquardt" and "Outer
// stopping tests".
#include <gmock/gmock.h>

#include <chrono>
#include <limits>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/stop_scope.h"
#include "core/solve/solver.h"
#include "tests/solve/fake_executable.h"

namespace thallo {
namespace {

using test::ScriptedExecutable;
using test::ScriptedStep;
using testing::DoubleEq, testing::ElementsAre, testing::HasSubstr;

constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
constexpr double Infinity = std::numeric_limits<double>::infinity();

SolverOptions lm(int iterations) {
  SolverOptions o;
  o.solver = SolverKind::LevenbergMarquardt;
  o.num_iterations = iterations;
  o.function_tolerance = 0;
  o.max_step_lengthening = 1;
  o.max_radius_growth = 3;
  return o;
}

SolverOptions gn(int iterations) {
  SolverOptions o;
  o.num_iterations = iterations;
  o.max_step_halvings = 0;
  return o;
}

TEST(LevenbergMarquardt, RadiusFollowsTheRelativeDecrease) {
  // rho = 1: / (1/3).  rho = 0.5: / 1.  rho = 0.25: / (1 + 1/8).  rho = 2: capped at / (1/3).
  ScriptedExecutable e(100, {{90, 10}, {85, 10}, {84, 4}, {80, 2}, {79, 1}});
  const auto summary = solve(e, lm(5)).value();
  EXPECT_THAT(e.radii(), ElementsAre(1e4, DoubleEq(3e4), DoubleEq(3e4), DoubleEq(3e4 / 1.125),
                                     DoubleEq(9e4 / 1.125)));
  EXPECT_EQ(summary.num_accepted, 5);
  EXPECT_EQ(summary.final_cost, 79);
  EXPECT_EQ(summary.termination, Termination::MaxIterations);
}

TEST(LevenbergMarquardt, RejectionsInARowDivideByGrowingPowers) {
  // Worse, worse, not enough (rho = 5e-4), NaN; then better: the factor starts anew.
  ScriptedExecutable e(100, {{101}, {200}, {99.9995, 1}, {NaN}, {95, 10}, {96}, {94, 1}});
  const auto summary = solve(e, lm(7)).value();
  EXPECT_THAT(e.radii(),
              ElementsAre(1e4, 1e4 / 2, 1e4 / 8, 1e4 / 64, 1e4 / 1024, 1e4 / 1024, 1e4 / 2048));
  EXPECT_EQ(summary.num_rejected, 5);
  EXPECT_EQ(summary.num_accepted, 2);
  EXPECT_EQ(summary.final_cost, 94);
  EXPECT_EQ(summary.iterations[4].relative_decrease, -Infinity);
  EXPECT_EQ(summary.iterations[4].cost, 100);
}

TEST(LevenbergMarquardt, RejectedStepRunsDampWithoutLinearize) {
  ScriptedExecutable e(100, {{101}, {90, 10}, {80, 10}});
  ASSERT_TRUE(solve(e, lm(3)));
  using enum Phase;
  EXPECT_THAT(e.phases(), ElementsAre(Setup, Values, Cost,                                   //
                                      Linearize, SaveScale,                                  //
                                      Damp, Apply, Retract, TrialValues, TrialCost,          //
                                      Damp, Apply, Retract, TrialValues, TrialCost, Accept,  //
                                      Linearize,                                             //
                                      Damp, Apply, Retract, TrialValues, TrialCost, Accept));
}

TEST(LevenbergMarquardt, RadiusNeverLeavesItsBounds) {
  ScriptedExecutable e(100, {{90, 10}, {80}});
  SolverOptions o = lm(2);
  o.max_trust_region_radius = 2e4;
  ASSERT_TRUE(solve(e, o));
  EXPECT_THAT(e.radii(), ElementsAre(1e4, 2e4));
  e = ScriptedExecutable(100, std::vector<ScriptedStep>(10, {101}));
  o = lm(10);
  o.min_trust_region_radius = 100;  // 1e4 / 2, / 8, / 64, / 1024 = 9.77
  const auto summary = solve(e, o).value();
  EXPECT_EQ(summary.termination, Termination::MinTrustRegionRadius);
  EXPECT_EQ(summary.num_rejected, 4);
  EXPECT_EQ(summary.final_cost, 100);
  EXPECT_TRUE(summary.converged());
}

TEST(LevenbergMarquardt, StepsThatDampingMadeZeroAreNoFailureOfTheLinearSolve) {
  for (const auto& [step, why] :
       {std::pair(ScriptedStep{.trial_cost = 100, .model_decrease = 0, .step_norm = 0},
                  Termination::LinearSolveFailed),
        std::pair(ScriptedStep{NaN}, Termination::NonFiniteStep)}) {
    ScriptedExecutable e(100, std::vector<ScriptedStep>(30, step));
    const auto summary = solve(e, lm(30)).value();
    EXPECT_EQ(summary.termination, why);
    EXPECT_FALSE(summary.converged());
    EXPECT_LT(summary.num_iterations, 20);
  }
  std::vector<ScriptedStep> steps(30, {.trial_cost = 100, .model_decrease = 0, .step_norm = 0});
  steps.front() = {101};
  ScriptedExecutable e(100, steps);
  const auto summary = solve(e, lm(30)).value();
  EXPECT_EQ(summary.termination, Termination::MinTrustRegionRadius);
}

TEST(LevenbergMarquardt, EndsWhereRoundingChangesTheCostMoreThanStepsPromise) {
  // Ever smaller promises, and changes of the cost that do not shrink with them.
  const auto rejected = [](double promised, double changed) {
    return ScriptedStep{100 + changed, promised};
  };
  ScriptedExecutable noisy(100, {rejected(1e-3, 0.01), rejected(4e-4, 0.02), rejected(1e-4, 0.004),
                                 rejected(1e-5, 0.008), rejected(1e-6, 0.01)});
  const auto summary = solve(noisy, lm(30)).value();
  EXPECT_EQ(summary.termination, Termination::RoundingFloor);
  EXPECT_TRUE(summary.converged());
  EXPECT_EQ(summary.num_rejected, 4);
  EXPECT_EQ(summary.final_cost, 100);
  EXPECT_THAT(summary.why(),
              HasSubstr("1.0e-05 down to 1.0e-07 of it all change it by about 8.0e-05"));
}

TEST(LevenbergMarquardt, ChangesThatShrinkWithTheStepAreNoRounding) {
  // As with a gradient of the wrong sign: the cost rises by what the step promises.
  std::vector<ScriptedStep> wrong;
  for (double promised = 1e-2; promised > 1e-9; promised /= 4)
    wrong.push_back({100 + promised, promised});
  // Large ones are no rounding either, however they shrink: a cost that oscillates.
  std::vector<ScriptedStep> large;
  for (double promised = 100; promised > 1e-3; promised /= 4) large.push_back({105, promised});
  for (const auto& steps : {wrong, large}) {
    ScriptedExecutable e(100, steps);
    const auto summary = solve(e, lm(static_cast<int>(steps.size()))).value();
    EXPECT_EQ(summary.termination, Termination::MaxIterations);
  }
}

TEST(LevenbergMarquardt, CostThatSettlesIsConfirmedByAStepWithStricterPcg) {
  SolverOptions o = lm(10);
  o.function_tolerance = 1e-3;
  o.q_tolerance = 0.5;
  // Settled; moving again; settled, and confirmed.
  ScriptedExecutable e(100, {{99.99, 0.01}, {90}, {89.99, 0.01}, {89.98, 0.01}, {80}});
  std::vector<double> tolerances;
  e.on_step = [&] { tolerances.push_back(at(e.read_state(), StateSlot::QTolerance)); };
  const auto summary = solve(e, o).value();
  EXPECT_EQ(summary.termination, Termination::FunctionTolerance);
  EXPECT_EQ(summary.num_accepted, 4);
  EXPECT_THAT(tolerances, ElementsAre(0.5, DoubleEq(0.05), 0.5, DoubleEq(0.05)));
}

TEST(LevenbergMarquardt, RejectedStepConfirmsACostThatHasSettled) {
  SolverOptions o = lm(10);
  o.function_tolerance = 1e-3;
  ScriptedExecutable e(100, {{99.99, 0.01}, {120, 5}, {99.995, 0.02}, {50}});
  const auto summary = solve(e, o).value();
  EXPECT_EQ(summary.termination, Termination::FunctionTolerance);
  EXPECT_EQ(summary.num_rejected, 2);
  EXPECT_EQ(summary.final_cost, 99.99);
}

TEST(LevenbergMarquardt, SettledCostNeedsNoConfirmationWherePcgHasNoTolerance) {
  SolverOptions o = lm(10);
  o.function_tolerance = 1e-3;
  o.q_tolerance = 0;
  ScriptedExecutable e(100, {{99.99, 0.01}, {90}});
  auto summary = solve(e, o).value();
  EXPECT_EQ(summary.termination, Termination::FunctionTolerance);
  EXPECT_EQ(summary.num_accepted, 1);
  // A tenth of the tolerance counts where the model is off.
  e = ScriptedExecutable(100, {{99.98, 0.01}, {99.971, 0.005}, {90}});
  summary = solve(e, o).value();
  EXPECT_EQ(summary.termination, Termination::FunctionTolerance);
  EXPECT_EQ(summary.num_accepted, 2);
}

TEST(LevenbergMarquardt, RadiusGrowsFasterWhereTheModelIsExactAndFallsBack) {
  SolverOptions o = lm(3);
  o.max_radius_growth = 100;
  ScriptedExecutable e(100, {{90, 10}, {80.1, 10}, {70}});
  ASSERT_TRUE(solve(e, o));
  EXPECT_THAT(e.radii(), ElementsAre(1e4, 1e6, DoubleEq(3e6)));
  o = lm(4);
  o.max_radius_growth = 100;
  e = ScriptedExecutable(100, {{90, 10}, {95}, {95}, {80}});
  ASSERT_TRUE(solve(e, o));
  EXPECT_THAT(e.radii(), ElementsAre(1e4, 1e6, DoubleEq(3e4), DoubleEq(1.5e4)));
}

TEST(LevenbergMarquardt, AStepThatDampingMadeShortHasToBeConfirmed) {
  SolverOptions o = lm(5);
  o.function_tolerance = 1e-3;
  o.q_tolerance = 0;
  ScriptedExecutable e(100, {{.trial_cost = 99.99, .model_decrease = 0.01, .damped_norm2 = 0.006},
                             {50, 49.99},
                             {.trial_cost = 49.99, .model_decrease = 0.01, .damped_norm2 = 0.006},
                             {.trial_cost = 49.98, .model_decrease = 0.01, .damped_norm2 = 0.006}});
  const auto summary = solve(e, o).value();
  EXPECT_EQ(summary.num_accepted, 4);
  EXPECT_EQ(summary.termination, Termination::FunctionTolerance);
}

TEST(GaussNewton, ACostThatStillFallsIsNotZeroHoweverLargeItWas) {
  SolverOptions o = gn(40);
  o.parameter_tolerance = 1e-15;
  std::vector<ScriptedStep> steps;
  for (double cost = 1e51; steps.size() < 40; cost *= 0.135) steps.push_back({cost});
  ScriptedExecutable e(1e52, steps);
  const auto summary = solve(e, o).value();
  EXPECT_EQ(summary.termination, Termination::MaxIterations);
}

TEST(GaussNewton, HalvesStepsThatRaiseTheCost) {
  SolverOptions o = gn(2);
  o.max_step_halvings = 3;
  ScriptedExecutable e(100, {{400},
                             {NaN},
                             {90},  //
                             {80}});
  std::vector<double> factors;
  e.on_step = [&] { factors.push_back(at(e.read_state(), StateSlot::StepFactor)); };
  const auto summary = solve(e, o).value();
  EXPECT_THAT(factors, ElementsAre(1, 0.5, 0.25, 1));
  EXPECT_EQ(summary.num_accepted, 2);
  EXPECT_EQ(summary.final_cost, 80);
  EXPECT_EQ(e.num_runs(Phase::Accept), 2);
}

TEST(GaussNewton, AStopWhileAStepIsHalvedIsTheReasonOfTheEnd) {
  SolverOptions o = gn(5);
  o.max_step_halvings = 20;
  ScriptedExecutable e(100, std::vector<ScriptedStep>(30, {101}));
  std::stop_source stop;
  e.on_step = [&] {
    if (e.num_runs(Phase::Retract) == 3) stop.request_stop();
  };
  const auto summary = solve(e, o, {}, stop.get_token()).value();
  EXPECT_EQ(summary.termination, Termination::Cancelled);
  EXPECT_EQ(e.num_runs(Phase::TrialCost), 3);
}

TEST(GaussNewton, EndsWhereNoFractionOfTheStepLowersTheCost) {
  SolverOptions o = gn(5);
  o.max_step_halvings = 3;
  ScriptedExecutable e(100, std::vector<ScriptedStep>(10, {101}));
  const auto summary = solve(e, o).value();
  EXPECT_EQ(summary.termination, Termination::NoDecrease);
  EXPECT_EQ(e.num_runs(Phase::TrialCost), 4);
  EXPECT_EQ(e.num_runs(Phase::Accept), 0);
  EXPECT_EQ(summary.final_cost, 100);
}

TEST(LevenbergMarquardt, LengthensAStepThatDoesMuchMoreThanItPromisedUnlessThatIsWorse) {
  SolverOptions o = lm(2);
  o.max_step_lengthening = 8;
  // rho = 1.5: the parabola through both costs is lowest at twice the step. The second step does
  // as promised.
  ScriptedExecutable e(100, {{85, 10}, {82, 13}, {80, 2}});
  std::vector<double> factors;
  e.on_step = [&] { factors.push_back(at(e.read_state(), StateSlot::StepFactor)); };
  const auto summary = solve(e, o).value();
  EXPECT_THAT(factors, ElementsAre(1, 2, 1));
  EXPECT_EQ(summary.iterations[1].cost, 82);
  EXPECT_EQ(summary.iterations[1].relative_decrease, 1.5);
  EXPECT_EQ(summary.final_cost, 80);
  SolverOptions once = lm(1);
  once.max_step_lengthening = 2;
  ScriptedExecutable late(100, {{70, 10}, {71, 10}, {70, 10}});
  std::vector<double> worse;
  late.on_step = [&] { worse.push_back(at(late.read_state(), StateSlot::StepFactor)); };
  const auto kept = solve(late, once).value();
  EXPECT_THAT(worse, ElementsAre(1, 2, 1)) << "rho is above 2: the cost falls ever faster";
  EXPECT_EQ(kept.final_cost, 70);
}

TEST(LevenbergMarquardt, NextSolveStartsFromTheRadiusOfItsOptions) {
  ScriptedExecutable e(100, std::vector<ScriptedStep>(8, {101}));
  ASSERT_TRUE(solve(e, lm(3)));
  ASSERT_TRUE(solve(e, lm(2)));
  EXPECT_THAT(e.radii(), ElementsAre(1e4, 1e4 / 2, 1e4 / 8, 1e4, 1e4 / 2));
}

TEST(LevenbergMarquardt, FunctionToleranceIsTestedAfterAnAcceptedStepOnly) {
  // The first step changes the cost by less than 1e-6 of it, upwards: rejected, no end.
  ScriptedExecutable e(100, {{100 + 1e-5}, {100 - 2e-4, 2e-4}, {100 - 2.5e-4, 5e-5}});
  SolverOptions o = lm(10);
  o.function_tolerance.reset();  // 1e-6 of 100 is 1e-4
  o.q_tolerance = 0;             // so that no second step has to confirm it
  const auto summary = solve(e, o).value();
  EXPECT_EQ(summary.termination, Termination::FunctionTolerance);
  EXPECT_EQ(summary.num_iterations, 3);
  EXPECT_DOUBLE_EQ(summary.final_cost, 100 - 2.5e-4);
}

TEST(LevenbergMarquardt, ParameterToleranceComparesStepAndX) {
  // 1e-3 * (10 + 1e-3) = 0.010001
  ScriptedExecutable e(
      100, {{.trial_cost = 90, .step_norm = 0.0101}, {.trial_cost = 80, .step_norm = 0.01}, {70}});
  e.x_norm = 10;
  SolverOptions o = lm(10);
  o.parameter_tolerance = 1e-3;
  auto summary = solve(e, o).value();
  EXPECT_EQ(summary.termination, Termination::ParameterTolerance);
  EXPECT_EQ(summary.final_cost, 80);
  e = ScriptedExecutable(
      100, {{.trial_cost = 101, .step_norm = 1}, {.trial_cost = 101, .step_norm = 1e-4}, {70}});
  summary = solve(e, o).value();
  EXPECT_EQ(summary.termination, Termination::ParameterTolerance);
  EXPECT_EQ(summary.final_cost, 100);
}

TEST(LevenbergMarquardt, GradientToleranceOrAGradientOfZeroEndsBeforeTheStep) {
  ScriptedExecutable e(100, {{.trial_cost = 90, .model_decrease = 10, .gradient_max = 1},
                             {.trial_cost = 80, .model_decrease = 10, .gradient_max = 1e-3}});
  SolverOptions o = lm(10);
  o.gradient_tolerance = 1e-3;
  auto summary = solve(e, o).value();
  EXPECT_EQ(summary.termination, Termination::GradientTolerance);
  EXPECT_EQ(summary.num_iterations, 1);
  EXPECT_EQ(summary.final_cost, 90);
  EXPECT_EQ(summary.final_gradient_max, 1e-3);
  e = ScriptedExecutable(
      100, {{.trial_cost = 100, .model_decrease = 0, .step_norm = 0, .gradient_max = 0}});
  summary = solve(e, lm(10)).value();
  EXPECT_EQ(summary.termination, Termination::ZeroGradient);
  EXPECT_EQ(summary.num_iterations, 0);
  EXPECT_TRUE(summary.converged());
}

TEST(LevenbergMarquardt, ModelOrLinearSolveThatPromisesNothingIsRejected) {
  for (const double decrease : {0.0, -1.0, NaN}) {
    ScriptedExecutable e(100, {{90, decrease}});
    const auto summary = solve(e, lm(1)).value();
    EXPECT_EQ(summary.num_rejected, 1) << decrease;
    EXPECT_EQ(summary.iterations.back().relative_decrease, 0) << decrease;
    EXPECT_EQ(summary.final_cost, 100) << decrease;
  }
  ScriptedExecutable e(100, {{.trial_cost = 100, .model_decrease = 0, .step_norm = 0}, {90, 10}});
  SolverOptions o = lm(2);
  o.parameter_tolerance = 1e-3;
  const auto summary = solve(e, o).value();
  EXPECT_THAT(e.radii(), ElementsAre(1e4, 5e3));
  EXPECT_EQ(summary.final_cost, 90);
}

TEST(LevenbergMarquardt, StepThatIsNotFiniteIsRejected) {
  ScriptedExecutable e(100, {{.trial_cost = 90, .step_norm = NaN},
                             {.trial_cost = 90, .step_norm = Infinity},
                             {-Infinity},
                             {90}});
  SolverOptions o = lm(4);
  o.parameter_tolerance = 1e-3;
  const auto summary = solve(e, o).value();
  EXPECT_EQ(summary.num_rejected, 3);
  EXPECT_EQ(summary.final_cost, 90);
}

TEST(GaussNewton, RunsEveryIterationWhateverTheCostDoes) {
  ScriptedExecutable e(100, {{100}, {250}, {250}, {.trial_cost = 3, .gradient_max = 0}});
  const auto summary = solve(e, gn(4)).value();
  EXPECT_EQ(summary.num_accepted, 4);
  EXPECT_EQ(summary.num_linear_iterations, 40);
  EXPECT_EQ(summary.final_cost, 3);
  EXPECT_EQ(summary.iterations[2].cost_change, -150);
  EXPECT_EQ(summary.termination, Termination::MaxIterations);
}

TEST(GaussNewton, EvaluatesOneCostAnIterationWithTheFunctionToleranceThatIsSet) {
  ScriptedExecutable e(100, {{90}, {80}});
  ASSERT_TRUE(solve(e, gn(2)));
  EXPECT_EQ(e.num_runs(Phase::Cost), 1);
  EXPECT_EQ(e.num_runs(Phase::TrialCost), 2);
  EXPECT_EQ(e.num_runs(Phase::SaveScale), 0);
  e = ScriptedExecutable(100, {{50}, {50.04}, {20}});
  SolverOptions o = gn(3);
  o.function_tolerance = 0.01;
  const auto summary = solve(e, o).value();
  EXPECT_EQ(summary.termination, Termination::FunctionTolerance);
  EXPECT_EQ(summary.num_iterations, 2);
}

TEST(GaussNewton, StopsBeforeAPointThatIsNotFiniteOrWithoutAStep) {
  for (const double bad : {NaN, Infinity}) {
    ScriptedExecutable e(100, {{90}, {bad}, {1}});
    const auto summary = solve(e, gn(3)).value();
    EXPECT_EQ(summary.termination, Termination::NonFiniteStep);
    EXPECT_EQ(summary.final_cost, 90);
    EXPECT_EQ(e.num_runs(Phase::Accept), 1);
    EXPECT_FALSE(summary.converged());
  }
  SolverOptions o = gn(3);
  o.linear_solver = "dense";
  ScriptedExecutable e(100, {{.trial_cost = 100, .step_norm = 0}});
  const auto stuck = solve(e, o).value();
  EXPECT_EQ(stuck.termination, Termination::LinearSolveFailed);
  EXPECT_EQ(stuck.num_iterations, 0);
}

TEST(Solver, RefusesAStartWithoutFiniteCostAndInvalidOptions) {
  for (const double bad : {NaN, Infinity}) {
    ScriptedExecutable e(bad, {});
    const auto summary = solve(e, lm(3));
    ASSERT_FALSE(summary);
    EXPECT_THAT(summary.error().what, HasSubstr("a residual is not finite there"));
  }
  ScriptedExecutable e(1, {});
  const auto refused = solve(e, gn(-1));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("nIterations = -1"));
  EXPECT_TRUE(e.phases().empty());
}

TEST(Solver, WithoutIterationsEvaluatesTheCostAndWithoutLinearOnesSkipsTheLoop) {
  ScriptedExecutable e(7, {});
  const auto summary = solve(e, lm(0)).value();
  EXPECT_EQ(summary.initial_cost, 7);
  EXPECT_EQ(summary.final_cost, 7);
  EXPECT_EQ(summary.num_iterations, 0);
  e = ScriptedExecutable(7, {{7}});
  SolverOptions o = gn(1);
  o.num_linear_iterations = 0;
  ASSERT_TRUE(solve(e, o));
  EXPECT_EQ(e.num_runs(Phase::Apply), 0);
}

TEST(Solver, DenseReplacesTheLinearLoop) {
  ScriptedExecutable e(7, {{1}, {0.5}});
  SolverOptions o = gn(2);
  e.make_direct();
  const auto summary = solve(e, o).value();
  EXPECT_EQ(e.num_runs(Phase::Apply), 0);
  EXPECT_EQ(e.num_runs(Phase::DirectSolve), 2);
  EXPECT_EQ(summary.num_linear_iterations, 2);
}

// Until a step takes as many iterations as it may, all have taken three times as many, or one
// lowers the cost by less than a hundredth; and never again later.
TEST(Solver, FindsFirstStepsOfADirectSolverByPcg) {
  struct Row {
    std::vector<ScriptedStep> steps;
    int most;                 // iterations of a loose step
    std::vector<int> linear;  // iterations of each step
    int num_loose;
  };
  const ScriptedStep good{.trial_cost = 50, .model_decrease = 50, .linear_iterations = 2},
      worse{.trial_cost = 60, .linear_iterations = 3},
      long_one{.trial_cost = 40, .model_decrease = 10, .linear_iterations = 99},
      short_one{.trial_cost = 49.8, .model_decrease = 0.2, .linear_iterations = 2},
      more{.trial_cost = 10, .model_decrease = 30, .linear_iterations = 2},
      most_of_it{.trial_cost = 1, .model_decrease = 9, .linear_iterations = 4};
  for (const auto& [steps, most, linear, num_loose] :
       {Row{{good, long_one, more, more}, 9, {2, 9, 1, 1}, 2},
        Row{{good, worse, long_one, more}, 9, {2, 3, 9, 1}, 3},
        Row{{good, worse, worse, more}, 4, {2, 3, 3, 2}, 4},
        Row{{worse, worse, worse, worse, good}, 4, {3, 3, 3, 3, 1}, 4},
        Row{{good, short_one, more, more}, 9, {2, 2, 1, 1}, 2},
        Row{{good, more, most_of_it}, 9, {2, 2, 4}, 3},
        Row{{good, worse, long_one, more}, 2, {2, 1, 1, 1}, 1},
        Row{{good, long_one}, 0, {1, 1}, 0}}) {
    ScriptedExecutable e(100, steps);
    e.make_direct(true);
    SolverOptions o = lm(static_cast<int>(steps.size()));
    o.num_linear_iterations = 1000;
    o.loose_iterations = most;
    const auto summary = solve(e, o).value();
    std::vector<int> found;
    for (const IterationRecord& record : summary.iterations) {
      if (record.iteration == 0) continue;
      found.push_back(record.linear_iterations);
      EXPECT_EQ(record.loose, record.iteration <= num_loose) << record.iteration;
    }
    EXPECT_EQ(found, linear);
    EXPECT_EQ(e.num_runs(Phase::Apply), num_loose);
    EXPECT_EQ(e.num_runs(Phase::DirectSolve), std::ssize(steps) - num_loose);
    EXPECT_EQ(summary.num_loose, num_loose);
  }
}

// Each attempt would cost a factorization.
TEST(LevenbergMarquardt, DoesNotGoBackToARadiusThatLeavesTheMatrixSingular) {
  const ScriptedStep none{.trial_cost = 100, .model_decrease = 0, .step_norm = 0};
  std::vector<ScriptedStep> steps = {none, none};
  for (const double cost : {90, 80, 70}) steps.push_back({cost, 5});
  ScriptedExecutable e(100, steps);
  e.make_direct();
  SolverOptions o = lm(5);
  o.trust_region_radius = 1.6e13;
  ASSERT_TRUE(solve(e, o));
  EXPECT_THAT(e.radii(), ElementsAre(1.6e13, 1e12, 6.25e10, 6.25e10, 6.25e10));
}

// As a factorization does.
TEST(Solver, StopsInAStepThatAsksForIt) {
  for (const SolverOptions& kind : {gn(100), lm(100)}) {
    for (const Termination why : {Termination::TimeLimit, Termination::Cancelled}) {
      ScriptedExecutable e(9, {{8}, {7}, {6}});
      std::stop_source source;
      e.on_step = [&] {
        if (e.num_runs(Phase::Retract) < 2) return;
        if (why == Termination::Cancelled) source.request_stop();
        while (true) check_stop();
      };
      SolverOptions o = kind;
      if (why == Termination::TimeLimit) o.max_solver_time_in_seconds = 0.01;
      const auto summary = solve(e, o, {}, source.get_token()).value();
      EXPECT_EQ(summary.termination, why);
      EXPECT_EQ(summary.num_iterations, 1);
      EXPECT_EQ(summary.final_cost, 8);
    }
  }
}

TEST(Solver, StopsAfterTheStepThatPassesTheTimeLimit) {
  for (const SolverOptions& kind : {gn(100), lm(100)}) {
    ScriptedExecutable e(1e9, std::vector<ScriptedStep>(100, {1e9 - 1}));
    e.on_step = [] { std::this_thread::sleep_for(std::chrono::milliseconds(4)); };
    SolverOptions o = kind;
    o.max_solver_time_in_seconds = 0.01;
    const auto summary = solve(e, o).value();
    EXPECT_EQ(summary.termination, Termination::TimeLimit);
    EXPECT_LE(summary.num_iterations, 3);
    EXPECT_GE(summary.seconds.total, 0.01);
  }
}

TEST(Solver, CallsBackWithEveryRecord) {
  ScriptedExecutable e(
      100, {{.trial_cost = 90, .model_decrease = 20, .step_norm = 3, .gradient_max = 5}, {95}});
  std::vector<IterationRecord> seen;
  const auto summary = solve(e, lm(2), [&](const IterationRecord& r) {
                         seen.push_back(r);
                         return AfterIteration::GoOn;
                       }).value();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].iteration, 0);
  EXPECT_EQ(seen[0].cost, 100);
  EXPECT_EQ(seen[1].cost, 90);
  EXPECT_EQ(seen[1].cost_change, 10);
  EXPECT_EQ(seen[1].relative_decrease, 0.5);
  EXPECT_EQ(seen[1].step_norm, 3);
  EXPECT_EQ(seen[1].gradient_max, 5);
  EXPECT_EQ(seen[1].radius, 1e4);
  EXPECT_EQ(seen[1].linear_iterations, 10);
  EXPECT_TRUE(seen[1].accepted);
  EXPECT_EQ(seen[2].cost, 90);
  EXPECT_EQ(seen[2].cost_change, -5);
  EXPECT_FALSE(seen[2].accepted);
  EXPECT_LE(seen[1].total_seconds, seen[2].total_seconds);
  EXPECT_EQ(summary.iterations.size(), 3u);
}

TEST(Solver, PassesTheOptionsToTheDevice) {
  ScriptedExecutable e(1, {{1}});
  SolverOptions o = lm(0);
  o.num_linear_iterations = 33;
  o.q_tolerance = 0.25;
  o.residual_tolerance = 0.125;
  o.residual_reset_period = 7;
  o.trust_region_radius = 5;
  o.min_lm_diagonal = 2;
  o.max_lm_diagonal = 3;
  ASSERT_TRUE(solve(e, o));
  const SolverState lm_state = e.read_state();
  EXPECT_EQ(at(lm_state, StateSlot::MaxLinearIterations), 33);
  EXPECT_EQ(at(lm_state, StateSlot::QTolerance), 0.25);
  EXPECT_EQ(at(lm_state, StateSlot::ResidualTolerance), 0.125);
  EXPECT_EQ(at(lm_state, StateSlot::ResetPeriod), 7);
  EXPECT_EQ(at(lm_state, StateSlot::Radius), 5);
  EXPECT_EQ(at(lm_state, StateSlot::MinDiagonal), 2);
  EXPECT_EQ(at(lm_state, StateSlot::MaxDiagonal), 3);
  o.solver = SolverKind::GaussNewton;
  ASSERT_TRUE(solve(e, o));
  const SolverState gn_state = e.read_state();
  EXPECT_EQ(at(gn_state, StateSlot::QTolerance), 0);
  EXPECT_EQ(at(gn_state, StateSlot::ResetPeriod), 0);
  EXPECT_EQ(at(gn_state, StateSlot::ResidualTolerance), 0.125);
}

}  // namespace
}  // namespace thallo
