// Why one schedule is faster than another: on every problem, and by hand.

#include "core/cost/pricing/time_change.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/assets.h"
#include "core/cost/device/spec_file.h"
#include "core/cost/model/analytic.h"
#include "core/cost/model/roofline.h"
#include "core/cost/pricing/plan_pricer.h"
#include "core/problem/driver.h"
#include "core/schedule/named_schedules.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

using testing::AllOf, testing::HasSubstr;

DeviceSpec spec(const char* name) {
  return read_device_spec(*find_asset("devices/" + std::string(name) + ".toml")).value();
}

double sum_of(const TimeChangeCauses& change) {
  double sum = 0;
  for (const CauseOfChange& cause : change.causes) {
    double of_steps = 0;
    for (const StepChange& step : cause.steps) of_steps += step.seconds;
    EXPECT_NEAR(of_steps, cause.seconds, 1e-9 * (change.from + change.to));
    sum += cause.seconds;
  }
  return sum;
}

const CauseOfChange* find(const TimeChangeCauses& change, Cause cause) {
  for (const CauseOfChange& its : change.causes)
    if (its.cause == cause) return &its;
  return nullptr;
}

class TimeChangeOfProblem : public testing::TestWithParam<test::SmallInstance> {};

// Estimated and lowered, on a GPU and on a host, by both models.
TEST_P(TimeChangeOfProblem, AddsUpFromOneTimeToTheOther) {
  const test::Made made = test::make(GetParam().problem, GetParam().options);
  const Energy energy = with_found_intermediates(made.energy);
  const ProgramOptions program = program_options({}, made.instance.solver);
  const IterationCounts counts{.linear_iterations = 12, .reset_period = 5};
  const auto analytic = make_analytic_model();
  const auto roofline = make_roofline_model();
  for (const char* device_name : {"h200", "cpu"}) {
    const DeviceSpec device = spec(device_name);
    PlanPricer pricer(energy, made.instance.binding, {.program = program, .counts = counts},
                      device);
    std::vector<ProgramWork> works;
    for (const char* name : {"default", "opt"}) {
      const auto schedule = named_schedule(name, energy, test::loaded_constructs());
      if (!schedule) continue;
      const Plan plan = make_plan(energy, *schedule, test::loaded_constructs()).value();
      works.push_back(pricer.estimate(plan).work);
      works.push_back(pricer.price(plan).work);
    }
    for (const CostModel* model : {analytic.get(), roofline.get()}) {
      SCOPED_TRACE(testing::Message() << device_name << ", " << model->name());
      const PriceScope scope{.model = *model, .device = device, .counts = counts};
      for (const ProgramWork& work : works) {
        const Prediction predicted = predict(*model, work, device, counts);
        double steps = predicted.beside.total();
        for (const StepWork& step : work.steps) {
          const TimeParts parts = model->parts(step, work, device);
          EXPECT_NEAR(parts.total(), model->seconds(step, work, device), 1e-12 * parts.total());
          for (const Wait wait : AllWaits) EXPECT_GE(parts[wait], 0);
        }
        for (const StepTime& step : step_times(work, scope))
          steps += step.runs * step.parts.total();
        EXPECT_NEAR(steps, predicted.nonlinear_iteration, 1e-9 * steps);
      }
      for (const ProgramWork& from : works) {
        for (const ProgramWork& to : works) {
          const TimeChangeCauses change = explain_change(from, to, scope).value();
          EXPECT_EQ(change.from, predict(*model, from, device, counts).nonlinear_iteration);
          EXPECT_EQ(change.to, predict(*model, to, device, counts).nonlinear_iteration);
          EXPECT_NEAR(change.from + sum_of(change), change.to, 1e-9 * (change.from + change.to));
          // The way back has the same causes.
          const TimeChangeCauses back = explain_change(to, from, scope).value();
          for (const CauseOfChange& cause : change.causes) {
            EXPECT_NE(cause.sentence, "") << to_string(cause.cause);
            const CauseOfChange* its = find(back, cause.cause);
            if (std::abs(cause.seconds) < 1e-9 * change.from) continue;
            ASSERT_NE(its, nullptr) << to_string(cause.cause);
            EXPECT_NEAR(its->seconds, -cause.seconds, 1e-9 * (change.from + change.to));
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, TimeChangeOfProblem, testing::ValuesIn(test::small_instances()));

// Programs of one kernel in every linear iteration.
class TimeChange : public testing::Test {
 protected:
  static StepWork step(const char* label, double bytes) {
    StepWork step{.phase = Phase::Apply, .label = label};
    step.features.points = 1'000'000;
    step.features.must_read = bytes;
    step.features.reads.coalesced = bytes;
    step.features.loads = bytes / 4;
    step.features.accesses.push_back(
        {.motion = Motion::ByOne, .count = bytes / 4, .bytes = 4, .element = 4, .table = bytes});
    return step;
  }
  TimeChangeCauses change(std::vector<StepWork> from, std::vector<StepWork> to,
                          double loop_bytes_from = 1e9, double loop_bytes_to = 1e9) const {
    const ProgramWork before{.steps = std::move(from), .loop_bytes = loop_bytes_from};
    const ProgramWork after{.steps = std::move(to), .loop_bytes = loop_bytes_to};
    const auto model = make_analytic_model();
    return explain_change(before, after,
                          {.model = *model, .device = device_, .counts = {.linear_iterations = 10}})
        .value();
  }

  DeviceSpec device_ = spec("h200");
};

TEST_F(TimeChange, StoringWhatWasRecomputedTradesArithmeticForBytes) {
  StepWork recomputed = step("apply", 8e6);
  recomputed.features.flops = {.multiplies = 4e9, .transcendentals = 5e8};
  const StepWork stored = step("apply", 800e6);
  const TimeChangeCauses faster = change({recomputed}, {stored});
  const CauseOfChange* arithmetic = find(faster, Cause::Recomputation);
  ASSERT_NE(arithmetic, nullptr);
  EXPECT_LT(arithmetic->seconds, 0);
  EXPECT_THAT(
      arithmetic->sentence,
      AllOf(HasSubstr("apply -"),
            HasSubstr(": computes no flop instead of 4.5 Gflop, functions: 0 instead of 500 M")));
  const CauseOfChange* bytes = find(faster, Cause::StoredBytes);
  ASSERT_NE(bytes, nullptr);
  EXPECT_GT(bytes->seconds, 0);
  EXPECT_THAT(bytes->sentence, HasSubstr(": moves 800 MB instead of 8 MB"));
  EXPECT_EQ(faster.causes.front().cause, Cause::Recomputation);
}

TEST_F(TimeChange, WhatNoLongerFitsTheCacheIsAMatterOfTheCache) {
  const double fits = 0.1 * device_.cache;
  const TimeChangeCauses slower =
      change({step("update", fits)}, {step("update", fits)}, fits, 4 * device_.cache);
  ASSERT_EQ(slower.causes.size(), 1u);
  EXPECT_EQ(slower.causes[0].cause, Cause::Cache);
  EXPECT_GT(slower.causes[0].seconds, 0);
  EXPECT_THAT(slower.causes[0].sentence,
              AllOf(HasSubstr("update +"), HasSubstr("of a linear iteration no longer fit the ")));
  const TimeChangeCauses faster =
      change({step("update", fits)}, {step("update", fits)}, 4 * device_.cache, fits);
  EXPECT_THAT(faster.causes[0].sentence, HasSubstr("of a linear iteration now fit the "));
}

TEST_F(TimeChange, GatheringSavesAtomics) {
  StepWork scatter = step("apply", 8e6);
  scatter.features.atomics = 1e7;
  scatter.features.accesses.push_back({.kind = Access::Kind::Add,
                                       .motion = Motion::Jumps,
                                       .count = 1e7,
                                       .bytes = 4,
                                       .element = 4,
                                       .table = 4e6});
  const TimeChangeCauses faster = change({scatter}, {step("apply", 8e6)});
  EXPECT_EQ(faster.causes.front().cause, Cause::Atomics);
  EXPECT_THAT(faster.causes.front().sentence,
              HasSubstr("makes no atomic additions instead of 10 M"));
}

TEST_F(TimeChange, AStepOfItsOwnCountsAsAWhole) {
  const TimeChangeCauses slower =
      change({step("apply", 8e6)}, {step("apply", 8e6), step("more", 8e8)});
  for (const CauseOfChange& cause : slower.causes) {
    EXPECT_GT(cause.seconds, 0);
    ASSERT_EQ(cause.steps.size(), 1u);
    EXPECT_EQ(cause.steps[0].step, "more");
  }
  EXPECT_EQ(find(slower, Cause::Launches)->sentence,
            "20 steps start in a nonlinear iteration instead of 10");
  EXPECT_THAT(find(slower, Cause::StoredBytes)->sentence, HasSubstr("is new and moves 800 MB"));
  const TimeChangeCauses faster =
      change({step("apply", 8e6), step("more", 8e8)}, {step("apply", 8e6)});
  EXPECT_THAT(find(faster, Cause::StoredBytes)->sentence, HasSubstr("is gone; it moved 800 MB"));
}

TEST_F(TimeChange, FewerSumsAreLessLatency) {
  StepWork sums = step("apply [a]", 1e5);
  sums.reduces = true;
  StepWork more_sums = sums;
  more_sums.label = "apply [b]";
  StepWork merged = step("apply [a_b]", 2e5);
  merged.reduces = true;
  const TimeChangeCauses faster = change({sums, more_sums}, {merged});
  EXPECT_EQ(faster.causes.front().cause, Cause::Latency);
  EXPECT_THAT(faster.causes.front().sentence,
              HasSubstr("loads 50 k scalars as before, sums over all threads: 1 instead of 2"));
}

TEST_F(TimeChange, ALoopOfItsOwnIsTheHosts) {
  const TimeChangeCauses slower = change({}, {step("apply", 8e6)});
  EXPECT_EQ(find(slower, Cause::Host)->sentence, "the loop of linear iterations is new");
}

TEST_F(TimeChange, SaysWhatIsNoLongerHidden) {
  StepWork hidden = step("apply", 800e6);
  hidden.features.flops.adds = 4e9;
  StepWork seen = step("apply", 8e6);
  seen.features.flops.adds = 4e9;
  const TimeChangeCauses faster = change({hidden}, {seen});
  EXPECT_THAT(find(faster, Cause::Recomputation)->sentence,
              HasSubstr("computes 4 Gflop as before, no longer hidden behind its memory"));
}

TEST_F(TimeChange, AModelThatDoesNotSplitSaysSo) {
  class Opaque final : public CostModel {
    std::string_view name() const override { return "opaque"; }
    std::string_view doc() const override { return "A second for each step."; }
    double seconds(const StepWork&, const ProgramWork&, const DeviceSpec&) const override {
      return 1;
    }
  };
  const ProgramWork one{.steps = {step("apply", 8e6)}};
  const ProgramWork two{.steps = {step("apply", 8e6), step("more", 8e6)}};
  const Opaque model;
  const PriceScope scope{.model = model, .device = device_, .counts = {.linear_iterations = 10}};
  const TimeChangeCauses slower = explain_change(one, two, scope).value();
  ASSERT_EQ(slower.causes.size(), 1u);
  EXPECT_EQ(slower.causes[0].cause, Cause::Unknown);
  EXPECT_DOUBLE_EQ(slower.causes[0].seconds, 10);
}

TEST_F(TimeChange, NothingIsExplainedOfWhatDoesNotFit) {
  const ProgramWork fits{.bytes = 1e6};
  const ProgramWork too_large{.bytes = 1e15};
  const auto model = make_analytic_model();
  const PriceScope scope{.model = *model, .device = device_, .counts = {}};
  const auto explained = explain_change(fits, too_large, scope);
  ASSERT_FALSE(explained);
  EXPECT_THAT(explained.error().message(),
              HasSubstr("the second schedule stores 1 PB, which do not fit into the "));
}

TEST_F(TimeChange, ComparesStepsOfOtherNamesByTheirPhase) {
  const TimeChangeCauses faster =
      change({step("apply [a]", 400e6), step("apply [b]", 400e6)}, {step("apply [a_b]", 600e6)});
  EXPECT_THAT(find(faster, Cause::StoredBytes)->sentence,
              AllOf(HasSubstr("phase apply -"), HasSubstr(": moves 600 MB instead of 800 MB")));
  EXPECT_EQ(find(faster, Cause::Launches)->sentence,
            "10 steps start in a nonlinear iteration instead of 20");
}

TEST(Remedy, SaysWhatWouldHelp) {
  const DeviceSpec device = spec("h200");
  const auto model = make_analytic_model();
  const PriceScope scope{.model = *model, .device = device, .counts = {}};
  StepWork scatter{.phase = Phase::Apply, .label = "apply"};
  scatter.features.points = 1000;
  scatter.features.atomics = 1.2e6;
  scatter.features.loads = 10;
  EXPECT_THAT(
      remedy(Wait::Atomics, scatter, {}, scope),
      AllOf(HasSubstr("gather instead of scatter"), HasSubstr("[JtJ]p"), HasSubstr("1.2 M times")));
  StepWork fill = scatter;  // of a JtJ that is stored already
  fill.phase = Phase::Linearize;
  EXPECT_EQ(remedy(Wait::Atomics, fill, {}, scope),
            "gather instead of scatter (compute_at_output): it adds 1.2 M times to memory");
  ProgramWork work;
  work.loop_bytes = 1e9;
  EXPECT_THAT(remedy(Wait::Memory, scatter, work, scope), HasSubstr("1 GB of a linear iteration"));
  EXPECT_THAT(remedy(Wait::Latency, scatter, work, scope), HasSubstr("loads 10 scalars"));
  scatter.features.atomics = 0;
  scatter.reduces = true;
  EXPECT_THAT(remedy(Wait::Latency, scatter, work, scope), HasSubstr("a sum over all threads"));
  for (const Wait wait : AllWaits) EXPECT_NE(remedy(wait, scatter, {}, scope), "");
}

}  // namespace
}  // namespace thallo
