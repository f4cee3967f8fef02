// Steps timed one by one: on every backend, whatever a schedule stores, and without a trace.

#include "core/backend/step_timing.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel/lower.h"
#include "tests/backend/springs.h"
#include "tests/support/backend_test.h"

namespace thallo {
namespace {

using test::Damped;
using testing::IsEmpty, testing::SizeIs;

const StepTimingOptions Quick{.num_batches = 2};

class StepTimings : public test::BackendTest<> {
 protected:
  // In the middle of the second linear iteration from random unknowns.
  void enter(const Plan& plan, const ProgramOptions& options = Damped) {
    executable_ = backend_->compile(generate(make_program(energy_, plan, options)), {}).value();
    ASSERT_TRUE(executable_->bind(binding_));
    SolverState state{};
    at(state, StateSlot::MaxLinearIterations) = 1000;
    at(state, StateSlot::ResetPeriod) = 10;
    at(state, StateSlot::Radius) = 100;
    at(state, StateSlot::StepFactor) = 1;
    at(state, StateSlot::MinDiagonal) = 1e-6;
    at(state, StateSlot::MaxDiagonal) = 1e32;
    executable_->write_state(state);
    for (const Phase phase :
         {Phase::Setup, Phase::Values, Phase::Cost, Phase::Linearize, Phase::SaveScale, Phase::Damp,
          Phase::Direction, Phase::Apply, Phase::Update, Phase::DirectSolve, Phase::Retract,
          Phase::TrialValues, Phase::TrialCost, Phase::Direction, Phase::Apply}) {
      executable_->run(phase);
    }
  }

  // Of all phases.
  std::vector<StepTiming> time_all() {
    std::vector<StepTiming> all;
    for (const auto& [phase, steps] : executable_->program().phases) {
      const auto timings = time_steps(*executable_, phase, Quick);
      EXPECT_TRUE(timings) << timings.error().what;
      if (!timings) continue;
      EXPECT_THAT(*timings, SizeIs(steps.size()));
      all.insert(all.end(), timings->begin(), timings->end());
    }
    return all;
  }

  void expect_samples_of_every_step() {
    for (const auto& timing : time_all()) {
      SCOPED_TRACE(std::string(to_string(timing.step.phase)) + ": " + timing.step.label);
      EXPECT_EQ(timing.fault, "");
      EXPECT_THAT(timing.hot, SizeIs(Quick.num_batches));
      EXPECT_THAT(timing.evicted, SizeIs(Quick.num_batches));
      EXPECT_GT(median(timing.hot), 0);
      EXPECT_GT(median(timing.evicted), 0);
    }
  }

  std::string fault_of(Phase phase) {
    const auto timings = time_steps(*executable_, phase, Quick);
    EXPECT_TRUE(timings) << timings.error().what;
    EXPECT_THAT(*timings, SizeIs(1));
    EXPECT_THAT(timings->front().hot, IsEmpty());
    EXPECT_THAT(timings->front().evicted, IsEmpty());
    return timings->front().fault;
  }

  // With matrices that library operations multiply.
  Plan stored_plan() const {
    Plan plan = default_plan(energy_);
    plan.parts[0].strategy = Strategy::StoredJ;
    plan.parts[0].j_format = StorageFormat::Csr;
    plan.parts[1].strategy = Strategy::StoredJtJOfStoredJ;
    plan.parts[1].j_format = StorageFormat::Dense;
    plan.parts[1].jtj_format = StorageFormat::Dense;
    return plan;
  }
  void expect_it_is_left_as_it_was();

  Energy energy_ = test::springs();
  Binding binding_ =
      test::bind_springs(energy_, {.vertices = 120, .edges = 500, .width = 17, .height = 9});
  std::unique_ptr<Executable> executable_;
};

TEST_P(StepTimings, HasPositiveSamplesOfEveryStep) {
  ASSERT_NO_FATAL_FAILURE(enter(default_plan(energy_)));
  expect_samples_of_every_step();
  ASSERT_NO_FATAL_FAILURE(enter(stored_plan()));
  expect_samples_of_every_step();
  ASSERT_NO_FATAL_FAILURE(enter(
      default_plan(energy_), {SolverKind::GaussNewton, jacobi_preconditioner(), dense_solver()}));
  expect_samples_of_every_step();
}

// Times the steps of all phases.
void StepTimings::expect_it_is_left_as_it_was() {
  const auto unknowns = [this] {
    Binding binding = binding_;
    executable_->download_unknowns(binding);
    std::vector<std::vector<double>> values;
    for (const FieldId unknown : executable_->program().unknowns) {
      const HostArray& array = binding.field(unknown);
      for (std::size_t i = 0; i < array.size(); ++i) values.push_back({array.value(i)});
    }
    return values;
  };
  const auto buffers = [this] {
    std::vector<std::vector<double>> values;
    for (std::size_t b = 0; b < executable_->program().buffers.size(); ++b) {
      values.push_back(executable_->read_buffer(b));
    }
    return values;
  };
  const SolverState state = executable_->read_state();
  const auto buffers_before = buffers();
  const auto unknowns_before = unknowns();
  const std::vector<PhaseTiming> timing = executable_->timing();
  for (const auto& [phase, steps] : executable_->program().phases) {
    SCOPED_TRACE(to_string(phase));
    ASSERT_TRUE(time_steps(*executable_, phase, Quick));
    EXPECT_EQ(executable_->read_state(), state);
    EXPECT_EQ(buffers(), buffers_before);
    EXPECT_EQ(unknowns(), unknowns_before);
  }
  const std::vector<PhaseTiming> timing_after = executable_->timing();
  ASSERT_EQ(timing_after.size(), timing.size());
  for (std::size_t i = 0; i < timing.size(); ++i) {
    EXPECT_EQ(timing_after[i].launches, timing[i].launches);
    EXPECT_EQ(timing_after[i].seconds, timing[i].seconds);
  }
}

TEST_P(StepTimings, LeavesTheExecutableAsItWas) {
  ASSERT_NO_FATAL_FAILURE(enter(default_plan(energy_)));
  expect_it_is_left_as_it_was();
  // What is stored is copied only for the steps that change it.
  ASSERT_NO_FATAL_FAILURE(enter(stored_plan()));
  expect_it_is_left_as_it_was();
  ASSERT_NO_FATAL_FAILURE(enter(
      default_plan(energy_), {SolverKind::GaussNewton, jacobi_preconditioner(), dense_solver()}));
  expect_it_is_left_as_it_was();
}

TEST_P(StepTimings, OfARaisedStopOrNanIsAFault) {
  ASSERT_NO_FATAL_FAILURE(enter(default_plan(energy_)));
  SolverState state = executable_->read_state();
  at(state, StateSlot::Stop) = 1;
  executable_->write_state(state);
  EXPECT_EQ(fault_of(Phase::Update), "state.Stop is raised");
  ASSERT_NO_FATAL_FAILURE(enter(default_plan(energy_)));
  const auto spoil = [this](SolverVector vector) {
    const std::size_t buffer = executable_->program().vector(vector);
    std::vector<double> values = executable_->read_buffer(buffer);
    values[values.size() / 2] = std::numeric_limits<double>::quiet_NaN();
    executable_->write_buffer(buffer, values);
  };
  spoil(SolverVector::X);  // no part of a sum in the state here
  EXPECT_EQ(fault_of(Phase::ResetDirection), "Ap has NaN");
  spoil(SolverVector::R);
  EXPECT_THAT(fault_of(Phase::Update), testing::MatchesRegex("state\\..* is NaN"));
}

TEST_P(StepTimings, OfWhatIsNotLaunchedHasNoSamples) {
  binding_ = test::bind_springs(energy_, {.vertices = 120, .edges = 0, .width = 17, .height = 9});
  ASSERT_NO_FATAL_FAILURE(enter(default_plan(energy_)));
  const auto timings = time_steps(*executable_, Phase::Apply, Quick);
  ASSERT_TRUE(timings) << timings.error().what;
  int num_absent = 0;
  for (const auto& timing : *timings) {
    EXPECT_EQ(timing.fault, "") << timing.step.label;
    EXPECT_EQ(timing.hot.empty(), !timing.step.is_launched) << timing.step.label;
    num_absent += timing.step.is_launched ? 0 : 1;
  }
  EXPECT_GT(num_absent, 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, StepTimings, testing::Values("interpreter", "cpu", "cuda"),
                         [](const auto& test) { return test.param; });

TEST(Median, IsTheMiddle) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
}

}  // namespace
}  // namespace thallo
