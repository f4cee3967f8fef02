// Explorations that nothing disturbs but the schedules themselves.
#include "core/explore/measure/measurer.h"

#include <gmock/gmock.h>

#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/explore/store/store.h"
#include "tests/explore/explorations.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::AllOf, testing::Each, testing::HasSubstr, testing::Pair, testing::SizeIs;
using namespace test;  // NOLINT: explorations of these tests

class MeasurerOfCurveFit : public testing::Test {
 protected:
  std::filesystem::path store() const { return folder_.path() / "curve_fit.store"; }
  std::unique_ptr<Measurer> open(ResultKind measure) const {
    return exploration_.open(exploration_.options(store(), measure));
  }

  TempDir folder_;
  CurveFitExploration exploration_;
};

TEST_F(MeasurerOfCurveFit, ComposesAllSchedulesAndMeasuresNothingTwice) {
  const auto first = open(ResultKind::Composed);
  ASSERT_TRUE(first->explore(exploration_.all()));
  EXPECT_THAT(table_of(*first), AllOf(SizeIs(18), Each(Pair(testing::_, "ok, none"))));
  EXPECT_GT(first->num_measured(), 0);
  EXPECT_EQ(static_cast<std::int64_t>(timed_steps(store()).size()), first->num_measured());
  EXPECT_LE(first->num_measured(), first->num_steps());

  const auto second = open(ResultKind::Composed);
  ASSERT_TRUE(second->explore(exploration_.all()));
  EXPECT_EQ(second->num_measured(), 0);
  EXPECT_EQ(table_of(*second), table_of(*first));
  for (const Candidate& candidate : first->candidates())
    EXPECT_EQ(second->seconds(candidate.hash), first->seconds(candidate.hash));
}

// What the store has is measured again and replaced. It has the steps of the schedule.
TEST_F(MeasurerOfCurveFit, MeasuresAnewWhatIsToBeReplaced) {
  const std::vector<Proposal> one = {exploration_.all().front()};
  ASSERT_TRUE(open(ResultKind::Composed)->explore(one));
  const auto read = [this](const auto& take) {
    const auto stored = MeasurementStore::open(store(), MeasurementStore::Access::Read);
    return take(*stored);
  };
  const auto samples = [](const MeasurementStore& its) { return *its.list<StepSamples>(); };
  const auto num_steps = [](const MeasurementStore& its) {
    return its.list<ScheduleRecord>()->front().steps.size();
  };
  const std::vector<StepSamples> before = read(samples);
  ASSERT_FALSE(before.empty());
  EXPECT_GT(read(num_steps), 0u);

  MeasurerOptions options = exploration_.options(store(), ResultKind::Composed);
  options.resources.existing = Existing::Replace;
  const auto again = exploration_.open(options);
  ASSERT_TRUE(again->explore(one));
  EXPECT_EQ(2 * static_cast<std::size_t>(again->num_measured()), before.size());
  const std::vector<StepSamples> after = read(samples);
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].slot, before[i].slot);
    EXPECT_NE(after[i].seconds, before[i].seconds);
  }
  EXPECT_GT(read(num_steps), 0u);
  const auto kept = read([](const MeasurementStore& its) { return *its.list<ScheduleResult>(); });
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(again->seconds(one.front().hash), kept.front().nonlinear_seconds);
}

// The first results are there while most schedules were not looked at.
TEST_F(MeasurerOfCurveFit, MeasuresInRounds) {
  MeasurerOptions options = exploration_.options(store(), ResultKind::Composed);
  options.resources.jobs = 1;
  const auto measurer = exploration_.open(options);
  std::set<std::size_t> num_looked_at;  // whenever something was measured
  std::int64_t last_done = 0;
  measurer->on_progress([&](const MeasurerProgress& progress) {
    EXPECT_EQ(progress.schedules.total, 18);
    EXPECT_GE(progress.schedules.done, last_done);
    EXPECT_LE(progress.timed.done, progress.timed.total);
    last_done = progress.schedules.done;
    if (progress.timed.done > 0) num_looked_at.insert(measurer->candidates().size());
  });
  ASSERT_TRUE(measurer->explore(exploration_.all()));
  ASSERT_FALSE(num_looked_at.empty());
  EXPECT_LT(*num_looked_at.begin(), 18u);
  EXPECT_GT(last_done, 0);
  EXPECT_THAT(table_of(*measurer), AllOf(SizeIs(18), Each(Pair(testing::_, "ok, none"))));
}

TEST_F(MeasurerOfCurveFit, ListsCandidatesAsTheyWereProposed) {
  const auto measurer = open(ResultKind::Composed);
  const std::vector<Proposal> proposals = exploration_.all();
  ASSERT_TRUE(measurer->explore(proposals));
  const std::vector<Candidate> candidates = measurer->candidates();
  ASSERT_EQ(candidates.size(), proposals.size());
  for (std::size_t i = 0; i < proposals.size(); ++i)
    EXPECT_EQ(candidates[i].hash, proposals[i].hash);
}

// Schedules that make one program share one measurement.
TEST_F(MeasurerOfCurveFit, RunsEachProgramOnceEndToEnd) {
  const auto measurer = open(ResultKind::EndToEnd);
  ASSERT_TRUE(measurer->explore(exploration_.all()));
  std::map<std::string, std::set<double>> seconds;
  for (const Candidate& candidate : measurer->candidates()) {
    ASSERT_TRUE(candidate.end_to_end && candidate.end_to_end->is_ok()) << candidate.text;
    EXPECT_LT(*candidate.end_to_end->verification_error, 1e-3);
    ASSERT_TRUE(candidate.end_to_end->small_error) << "it was not verified";
    EXPECT_LT(*candidate.end_to_end->small_error, 1e-5);
    seconds[candidate.program].insert(candidate.end_to_end->nonlinear_seconds);
  }
  // It has no choice that changes its few kernels.
  EXPECT_THAT(seconds, SizeIs(1));
  for (const auto& [program, its] : seconds) EXPECT_THAT(its, SizeIs(1)) << program;
}

// Finds a measurer that ends with a worker that dies while it compiles.
TEST_F(MeasurerOfCurveFit, RecordsWhyASchedulesWorkerFailedAndGoesOn) {
  const auto measurer = open(ResultKind::Composed);
  std::vector<Proposal> proposals = exploration_.all();
  for (const char* fault : {"crash", "hang", "memory", "wrong"})
    proposals.push_back(exploration_.proposal(std::string("r.fit:") + fault + "()"));
  ASSERT_TRUE(measurer->explore(proposals));
  std::vector<std::string> hashes;
  for (const Proposal& proposal : proposals) hashes.push_back(proposal.hash);
  ASSERT_TRUE(measurer->solve(hashes));

  const std::vector<Candidate> candidates = measurer->candidates();
  ASSERT_THAT(candidates, SizeIs(22));
  for (std::size_t i = 0; i < 18; ++i)
    EXPECT_TRUE(candidates[i].end_to_end && candidates[i].end_to_end->is_ok())
        << candidates[i].text;
  const auto expect = [&](std::size_t i, const std::optional<ScheduleResult>& result,
                          ResultStatus status, const std::string& reason) {
    ASSERT_TRUE(result) << candidates[i].text;
    EXPECT_EQ(result->status, status) << candidates[i].text << result->reason;
    EXPECT_THAT(result->reason, HasSubstr(reason)) << candidates[i].text;
    EXPECT_EQ(measurer->seconds(candidates[i].hash), std::numeric_limits<double>::infinity());
  };
  expect(18, candidates[18].composed, ResultStatus::Crash, "was ended by signal 6 (Aborted)");
  expect(19, candidates[19].composed, ResultStatus::Timeout, "the worker said nothing for");
  expect(20, candidates[20].composed, ResultStatus::OutOfMemory, "memory ran out");
  EXPECT_TRUE(candidates[21].composed->is_ok()) << candidates[21].composed->reason;
  expect(21, candidates[21].end_to_end, ResultStatus::Mismatch, "differ by");
  EXPECT_GT(*candidates[21].end_to_end->verification_error, 1e-3);
}

// Where the fault is in what a kernel does, its compiler has nothing to say.
// Finds a measurer that loses a step whose kernel dies or hangs; the limit of a step is waited for.
TEST_F(MeasurerOfCurveFit, RecordsWhyARunningKernelFailedAndGoesOn) {
  MeasurerOptions options = exploration_.options(store(), ResultKind::Composed);
  options.timeouts.load = std::chrono::seconds(4);
  options.timeouts.step = std::chrono::seconds(2);
  const auto measurer = exploration_.open(options);
  std::vector<Proposal> proposals = {exploration_.proposal("r.fit:running_crash()"),
                                     exploration_.proposal("r.fit:running_hang()")};
  const std::vector<Proposal> all = exploration_.all();
  proposals.insert(proposals.end(), all.begin(), all.begin() + 3);
  ASSERT_TRUE(measurer->explore(proposals));
  const std::vector<Candidate> candidates = measurer->candidates();
  ASSERT_THAT(candidates, SizeIs(5));
  for (const Candidate& candidate : candidates)
    ASSERT_TRUE(candidate.composed && !candidate.program.empty()) << candidate.text;
  EXPECT_EQ(candidates[0].composed->status, ResultStatus::Crash);
  EXPECT_THAT(candidates[0].composed->reason,
              HasSubstr("was ended by signal 11 (Segmentation fault)"));
  EXPECT_EQ(candidates[1].composed->status, ResultStatus::Timeout)
      << candidates[1].composed->reason;
  for (std::size_t i = 2; i < candidates.size(); ++i)
    EXPECT_TRUE(candidates[i].composed->is_ok()) << candidates[i].composed->reason;
}

TEST_F(MeasurerOfCurveFit, RecordsTheKernelsOfItsSteps) {
  const auto measurer = open(ResultKind::Composed);
  const Proposal proposal = exploration_.proposal("");
  ASSERT_TRUE(measurer->explore({proposal}));
  ASSERT_TRUE(measurer->solve({proposal.hash}));
  const auto kept = MeasurementStore::open(store(), MeasurementStore::Access::Read);
  std::set<std::string> kernels;
  const auto kept_kernels = *kept->list<KernelRecord>();
  for (const KernelRecord& kernel : kept_kernels) {
    kernels.insert(kernel.key);
    EXPECT_EQ(kernel.compiler, measurer->device().signature);
    EXPECT_EQ(kernel.registers, std::nullopt) << "kernels of the cpu have none";
  }
  std::map<std::string, StepRecord> steps;
  const auto kept_steps = *kept->list<StepRecord>();
  for (const StepRecord& step : kept_steps) {
    steps[step.key] = step;
    const bool is_kernel = !step.label.starts_with("clear ") && !step.label.starts_with("solve ");
    EXPECT_EQ(kernels.contains(step.kernel), is_kernel) << step.label;
    EXPECT_THAT(step.features, HasSubstr("\"flops\":"));
  }
  const auto schedules = *kept->list<ScheduleRecord>();
  ASSERT_THAT(schedules, SizeIs(1));
  EXPECT_FALSE(schedules[0].steps.empty());
  double seconds = 0;
  for (const StepUse& use : schedules[0].steps) {
    EXPECT_TRUE(steps.contains(use.key));
    seconds += use.runs * use.predicted_seconds.value();
  }
  const double predicted = measurer->candidates()[0].predictions.at("analytic").nonlinear_seconds;
  EXPECT_LE(seconds, predicted * (1 + 1e-9));
  EXPECT_GT(seconds, predicted / 2);
}

TEST_F(MeasurerOfCurveFit, KeepsWhatIsFinishedWhenTheBudgetIsUsedUp) {
  MeasurerOptions options = exploration_.options(store(), ResultKind::Composed);
  options.resources.budget = std::chrono::milliseconds(800);
  options.timeouts.prepare = std::chrono::seconds(60);
  const auto measurer = exploration_.open(options);
  std::vector<Proposal> proposals = exploration_.all();
  proposals.insert(proposals.begin(), exploration_.proposal("r.fit:hang()"));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(measurer->explore(proposals));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
  EXPECT_TRUE(measurer->is_over());
  EXPECT_FALSE(measurer->candidates().empty());
  const auto store_after = MeasurementStore::open(store(), MeasurementStore::Access::Read);
  EXPECT_THAT(*store_after->list<ScheduleRecord>(), SizeIs(measurer->candidates().size()));
  EXPECT_THAT(*store_after->leases(), SizeIs(0));
}

TEST_F(MeasurerOfCurveFit, LeavesAShareOfTheBudgetForSolves) {
  MeasurerOptions options = exploration_.options(store(), ResultKind::Composed);
  options.resources.budget = std::chrono::seconds(120);
  const auto measurer = exploration_.open(options);
  const std::vector<Proposal> all = exploration_.all();
  ASSERT_TRUE(measurer->explore({all.front()}));
  measurer->limit_to(0);
  EXPECT_TRUE(measurer->is_over());
  ASSERT_TRUE(measurer->explore(all));
  EXPECT_THAT(measurer->candidates(), SizeIs(1));
  measurer->limit_to(1);
  EXPECT_FALSE(measurer->is_over());
  ASSERT_TRUE(measurer->solve({all.front().hash}));
  EXPECT_TRUE(measurer->candidates().front().end_to_end);
}

TEST_F(MeasurerOfCurveFit, SaysWhenNoWorkerOpensTheProblem) {
  MeasurerOptions options = exploration_.options(store(), ResultKind::Composed);
  const auto message_of = [&](const ExplorationTarget& target) {
    const auto opened = Measurer::open(target, options);
    return opened ? "no fault" : opened.error().message();
  };
  EXPECT_THAT(message_of({.problem = "curve_fi", .backend = "cpu"}),
              HasSubstr("did you mean 'curve_fit'"));
  options.resources.worker_command = {"/bin/sh", "-c", "kill -SEGV $$"};
  EXPECT_THAT(message_of({.problem = "curve_fit", .backend = "cpu"}),
              HasSubstr("the worker was ended by signal 11 (Segmentation fault) while it opened"));
  options.resources.worker_command = {"/nowhere/thallo"};
  EXPECT_THAT(message_of({.problem = "curve_fit", .backend = "cpu"}),
              HasSubstr("/nowhere/thallo cannot be started: No such file"));
}

}  // namespace
}  // namespace thallo
