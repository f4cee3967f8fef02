// A nonlinear iteration is one batch: what is launched at once, what waits for the next one, and
// that nobody sees a step that is accepted but not taken.
#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/schedule/plan.h"
#include "core/solve/minimizer.h"
#include "core/solve/solver.h"
#include "tests/solve/fake_executable.h"
#include "tests/solve/toy_energies.h"
#include "tests/support/backend_test.h"

namespace thallo {
namespace {

using test::ScriptedExecutable;
using test::ScriptedStep;
using test::Toy;
using testing::ElementsAre, testing::IsEmpty;
using Phases = std::vector<Phase>;

// Tells batches from single phases. A batch is the list of its phases; its loop is Apply.
class CountingExecutable : public ScriptedExecutable {
 public:
  using ScriptedExecutable::ScriptedExecutable;

  void run_batch(const Batch& batch, std::span<SolverState> states,
                 std::span<const std::size_t> which) override {
    Phases& list = batches.emplace_back(batch.before);
    if (batch.loop) list.push_back(Phase::Apply);
    list.insert(list.end(), batch.after.begin(), batch.after.end());
    is_in_batch_ = true;
    ScriptedExecutable::run_batch(batch, states, which);
    is_in_batch_ = false;
  }
  void run(Phase phase) override {
    if (!is_in_batch_) singles.push_back(phase);
    ScriptedExecutable::run(phase);
  }
  void read_states(std::span<SolverState> states, std::span<const std::size_t> which) override {
    if (!is_in_batch_) ++num_accesses;
    ScriptedExecutable::read_states(states, which);
  }
  void write_states(std::span<const SolverState> states,
                    std::span<const std::size_t> which) override {
    if (!is_in_batch_) ++num_accesses;
    ScriptedExecutable::write_states(states, which);
  }

  std::vector<Phases> batches;
  Phases singles;
  int num_accesses = 0;  // reads and writes of the state, outside batches

 private:
  bool is_in_batch_ = false;
};

SolverOptions gn_iterations(int iterations) {
  SolverOptions o;
  o.num_iterations = iterations;
  o.max_step_halvings = 0;
  o.max_step_lengthening = 1;
  return o;
}

SolverOptions lm_iterations(int iterations) {
  SolverOptions o = gn_iterations(iterations);
  o.solver = SolverKind::LevenbergMarquardt;
  o.function_tolerance = 0;
  return o;
}

// Accepted, rejected, accepted.
std::vector<ScriptedStep> three_steps() { return {{90, 10}, {95}, {80, 10}}; }

const Phases first_batch = {Phase::Setup, Phase::Values, Phase::Cost};

TEST(SolverBatch, AnIterationOfLevenbergMarquardtIsOneBatch) {
  using enum Phase;
  CountingExecutable e(100, three_steps());
  ASSERT_TRUE(solve(e, lm_iterations(3)));
  EXPECT_THAT(
      e.batches,
      ElementsAre(first_batch,
                  Phases{Linearize, SaveScale, Damp, Apply, Retract, TrialValues, TrialCost},
                  Phases{Accept, Linearize, Damp, Apply, Retract, TrialValues, TrialCost},
                  Phases{Damp, Apply, Retract, TrialValues, TrialCost}));
  EXPECT_THAT(e.singles, ElementsAre(Accept)) << "the last step, which no batch follows";
  EXPECT_EQ(e.num_accesses, 0);
}

TEST(SolverBatch, AnIterationOfGaussNewtonIsOneBatch) {
  using enum Phase;
  for (const bool is_direct : {false, true}) {
    CountingExecutable e(100, three_steps());
    if (is_direct) e.make_direct();
    ASSERT_TRUE(solve(e, gn_iterations(2)));
    const Phase solves = is_direct ? DirectSolve : Apply;
    EXPECT_THAT(
        e.batches,
        ElementsAre(first_batch, Phases{Linearize, Damp, solves, Retract, TrialValues, TrialCost},
                    Phases{Accept, Linearize, Damp, solves, Retract, TrialValues, TrialCost}));
    EXPECT_THAT(e.singles, ElementsAre(Accept));
    EXPECT_EQ(e.num_accesses, 0);
  }
}

// Without a wait of its own: the batch of the step reads it.
TEST(SolverBatch, TheGradientIsLookedAtWithTheStep) {
  using enum Phase;
  CountingExecutable e(100, {{.trial_cost = 90, .model_decrease = 10, .gradient_max = 1},
                             {.trial_cost = 80, .model_decrease = 10, .gradient_max = 1e-9}});
  SolverOptions o = lm_iterations(5);
  o.gradient_tolerance = 1e-6;
  const auto summary = solve(e, o);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->termination, Termination::GradientTolerance);
  EXPECT_EQ(summary->final_cost, 90);
  EXPECT_THAT(
      e.batches,
      ElementsAre(first_batch,
                  Phases{Linearize, SaveScale, Damp, Apply, Retract, TrialValues, TrialCost},
                  Phases{Accept, Linearize, Damp, Apply, Retract, TrialValues, TrialCost}));
  EXPECT_THAT(e.singles, IsEmpty());
}

TEST(SolverBatch, AHalvedStepIsABatchOfItsOwn) {
  using enum Phase;
  CountingExecutable e(100, {{400}, {90}, {80}});
  SolverOptions o = gn_iterations(2);
  o.max_step_halvings = 3;
  std::vector<double> factors;
  e.on_step = [&] {
    factors.push_back(at(e.ScriptedExecutable::read_state(), StateSlot::StepFactor));
  };
  ASSERT_TRUE(solve(e, o));
  EXPECT_THAT(
      e.batches,
      ElementsAre(first_batch, Phases{Linearize, Damp, Apply, Retract, TrialValues, TrialCost},
                  Phases{Retract, TrialValues, TrialCost},
                  Phases{Accept, Linearize, Damp, Apply, Retract, TrialValues, TrialCost}));
  EXPECT_THAT(factors, ElementsAre(1, 0.5, 1)) << "the next step is whole again";
}

TEST(SolverBatch, AWatcherCostsNothingAndACallbackSeesTheStepTaken) {
  using enum Phase;
  CountingExecutable e(100, three_steps());
  Phases last;
  const auto summary = solve(e, lm_iterations(3), [&](const IterationRecord&) {
    last.push_back(e.phases().back());
    return AfterIteration::GoOn;
  });
  ASSERT_TRUE(summary);
  EXPECT_THAT(last, ElementsAre(Cost, Accept, TrialCost, Accept));
  EXPECT_THAT(e.singles, ElementsAre(Accept, Accept));
  EXPECT_EQ(e.batches.size(), 4u) << "it costs no further batch";
  using enum Phase;
  e = CountingExecutable(100, three_steps());
  std::vector<double> costs;
  auto minimizer =
      Minimizer::begin(e, lm_iterations(3), {}, {},
                       [&](const IterationRecord& record) { costs.push_back(record.cost); });
  ASSERT_TRUE(minimizer && minimizer->run());
  EXPECT_THAT(costs, ElementsAre(100, 90, 90, 80));
  EXPECT_THAT(e.singles, ElementsAre(Accept));
}

TEST(SolverBatch, BetweenStepsTheStepIsTaken) {
  using enum Phase;
  CountingExecutable e(100, three_steps());
  auto minimizer = Minimizer::begin(e, lm_iterations(3));
  ASSERT_TRUE(minimizer);
  for (const Phase last : {Accept, TrialCost, Accept}) {
    ASSERT_TRUE(minimizer->step());
    EXPECT_EQ(e.phases().back(), last);
  }
  EXPECT_EQ(minimizer->finish().final_cost, 80);
  EXPECT_EQ(e.num_runs(Accept), 2);
  EXPECT_EQ(e.num_accesses, 0);
}

// By a callback, by a stop that is requested while the device works, and by the time.
TEST(SolverBatch, ASolveThatIsStoppedHasTakenItsLastStep) {
  using enum Phase;
  const std::vector<ScriptedStep> steps(10, {90});
  const auto expect_taken = [](CountingExecutable& e, const Expected<SolverSummary>& summary,
                               Termination why) {
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->termination, why);
    EXPECT_EQ(summary->num_iterations, 2);
    EXPECT_EQ(e.num_runs(Accept), 2);
    EXPECT_EQ(e.phases().back(), Accept);
    EXPECT_EQ(e.batches.size(), 3u);
  };
  CountingExecutable called(100, steps);
  expect_taken(called,
               solve(called, gn_iterations(10),
                     [](const IterationRecord& record) {
                       return record.iteration == 2 ? AfterIteration::Stop : AfterIteration::GoOn;
                     }),
               Termination::Cancelled);

  CountingExecutable stopped(100, steps);
  std::stop_source source;
  stopped.on_step = [&] {
    if (stopped.num_runs(Retract) == 2) source.request_stop();
  };
  expect_taken(stopped, solve(stopped, gn_iterations(10), {}, source.get_token()),
               Termination::Cancelled);

  CountingExecutable late(100, steps);
  SolverOptions o = gn_iterations(10);
  o.max_solver_time_in_seconds = 0.2;
  late.on_step = [&] {
    if (late.num_runs(Retract) == 2) std::this_thread::sleep_for(std::chrono::milliseconds(201));
  };
  expect_taken(late, solve(late, o), Termination::TimeLimit);
}

TEST(SolverBatch, DataThatChangeFollowATakenStep) {
  using enum Phase;
  CountingExecutable e(100, three_steps());
  const Toy toy = test::make_curve();
  auto minimizer = Minimizer::begin(e, lm_iterations(3));
  ASSERT_TRUE(minimizer && minimizer->step());
  ASSERT_TRUE(minimizer->upload(toy.binding, {}));
  EXPECT_EQ(e.phases().back(), Accept);
  ASSERT_TRUE(minimizer->cost());
  EXPECT_EQ(e.batches.back(), first_batch);
  ASSERT_TRUE(minimizer->step());
  EXPECT_EQ(e.batches.back(),
            (Phases{Linearize, SaveScale, Damp, Apply, Retract, TrialValues, TrialCost}));
}

class BackendBatch : public test::BackendTest<> {
 protected:
  std::unique_ptr<Executable> compile(const Toy& toy, const ProgramOptions& options) {
    return test::compiled(*backend_, toy.energy, default_plan(toy.energy), options);
  }
};

// A whole solve, whose acceptances wait for the next batch, ends where one made step by step does.
// Sums of atomics on a GPU come in another order each time.
TEST_P(BackendBatch, AWholeSolveIsThatOfItsSteps) {
  for (const SolverOptions& options : {gn_iterations(6), lm_iterations(6)}) {
    Toy toy = test::make_two_spaces(4, 9, 40);
    const ProgramOptions program{.solver = options.solver, .linear_solver = pcg_solver()};
    const auto whole = compile(toy, program), stepped = compile(toy, program);
    ASSERT_TRUE(whole->bind(toy.binding) && stepped->bind(toy.binding));
    const auto summary = solve(*whole, options);
    auto minimizer = Minimizer::begin(*stepped, options);
    ASSERT_TRUE(summary && minimizer);
    Binding a = toy.binding, b = toy.binding;
    for (auto more = minimizer->step(); more && *more; more = minimizer->step()) {
      stepped->download_unknowns(b);
    }
    whole->download_unknowns(a);
    stepped->download_unknowns(b);
    const auto x = test::unknowns_of(toy.energy, a), y = test::unknowns_of(toy.energy, b);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-9);
    const SolverSummary steps = minimizer->finish();
    EXPECT_EQ(steps.num_accepted, summary->num_accepted);
    EXPECT_NEAR(steps.final_cost, summary->final_cost, 1e-9 * summary->initial_cost);
    EXPECT_LT(summary->final_cost, summary->initial_cost);
  }
}

// Batches against the same phases one by one, several times: a device makes graphs of batches that
// come again. In between a param changes.
TEST_P(BackendBatch, ComputesWhatItsPhasesDoOneByOne) {
  Toy toy = test::make_smoothing(40, true);
  const ProgramOptions program{.solver = SolverKind::LevenbergMarquardt,
                               .linear_solver = pcg_solver()};
  const auto batched = compile(toy, program), single = compile(toy, program);
  ASSERT_TRUE(batched->bind(toy.binding) && single->bind(toy.binding));
  SolverState state{};
  at(state, StateSlot::MaxLinearIterations) = 3;
  at(state, StateSlot::ResetPeriod) = 2;
  at(state, StateSlot::MinDiagonal) = 1e-6;
  at(state, StateSlot::MaxDiagonal) = 1e32;
  const LinearLoop loop{.max_iterations = 3, .reset_period = 2};
  const Phases after = {Phase::Retract, Phase::TrialValues, Phase::TrialCost};
  const FieldId w = toy.energy.find_field("w");
  for (int i = 0; i < 6; ++i) {
    SCOPED_TRACE(i);
    if (i == 4) {
      ASSERT_TRUE(toy.binding.set_param("w", 3));
      ASSERT_TRUE(batched->upload(toy.binding, w) && single->upload(toy.binding, w));
    }
    Phases before = {Phase::Accept, Phase::Linearize, Phase::Damp};
    if (i == 0) {
      before = {Phase::Setup,     Phase::Values,    Phase::Cost,
                Phase::Linearize, Phase::SaveScale, Phase::Damp};
    }
    at(state, StateSlot::Radius) = 100 + i;
    SolverState from_batch = state;
    batched->run_batch({before, loop, after}, std::span(&from_batch, 1), batched->all_states());
    single->write_state(state);
    for (const Phase phase : before) single->run(phase);
    single->run_linear_loop(loop);
    for (const Phase phase : after) single->run(phase);
    const SolverState from_phases = single->read_state();
    for (std::size_t slot = 0; slot < state.size(); ++slot) {
      EXPECT_NEAR(from_batch[slot], from_phases[slot], 1e-6 * (1 + std::abs(from_phases[slot])))
          << StateSlotNames[slot];
    }
    EXPECT_EQ(at(from_batch, StateSlot::LinearIteration), 3);
    EXPECT_EQ(at(from_batch, StateSlot::Radius), 100 + i);
    for (std::size_t b = 0; b < batched->program().buffers.size(); ++b) {
      const auto x = batched->read_buffer(b), y = single->read_buffer(b);
      ASSERT_EQ(x.size(), y.size());
      for (std::size_t k = 0; k < x.size(); ++k)
        EXPECT_NEAR(x[k], y[k], 1e-9 * (1 + std::abs(y[k])))
            << batched->program().buffers[b].name << "[" << k << "]";
    }
    state = from_batch;
  }
}

TEST_P(BackendBatch, TimesItsPhases) {
  Toy toy = test::make_smoothing(40);
  const ProgramOptions program{.solver = SolverKind::LevenbergMarquardt,
                               .linear_solver = pcg_solver()};
  const auto executable = compile(toy, program);
  ASSERT_TRUE(executable->bind(toy.binding));
  const auto summary = solve(*executable, lm_iterations(4));
  ASSERT_TRUE(summary);
  EXPECT_GT(summary->seconds.linearize, 0);
  EXPECT_GT(summary->seconds.linear, 0);
  EXPECT_GT(summary->seconds.cost, 0);
  EXPECT_GT(summary->seconds.update, 0);
  const SolverSeconds& s = summary->seconds;
  EXPECT_LE(s.linearize + s.linear + s.cost + s.update, s.total);
  EXPECT_EQ(summary->times.linear.count, summary->num_iterations);
  EXPECT_GT(summary->times.linear.min, 0);
  EXPECT_GT(summary->times.resolve.min, 0);
}

INSTANTIATE_TEST_SUITE_P(All, BackendBatch, testing::Values("interpreter", "cpu", "cuda"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace thallo
