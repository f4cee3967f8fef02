// Reports of stores that are written here, with numbers that were computed by hand, and their
// pictures.
#include "core/explore/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>

#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/explore/report/figures.h"
#include "core/explore/report/mark_lines.h"
#include "core/explore/report/schedule_steps.h"
#include "tests/explore/store_records.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Optional;
using testing::SizeIs;

const DeviceRecord Cpu = {"cpu test machine", "Test CPU", "cpu"};

// What a candidate is measured and predicted to take, in microseconds.
struct Times {
  std::optional<double> composed, end_to_end;
  double analytic = 0, roofline = 0;
};

class Report : public testing::Test {
 protected:
  Report()
      : problem_(*ExploredProblem::open(session_, {.problem = "curve_fit"})),
        store_(open_store(folder_.path() / "fit.store")) {
    add({Cpu, ProblemRecord{problem_.signature, "curve_fit", problem_.options.text(), "a test"},
         SampleSpace});
  }

  void add(const std::vector<StoreRecord>& records) {
    const auto added = store_.add(records, Existing::Replace);
    ASSERT_TRUE(added) << added.error().message();
  }

  ScheduleSlot slot(const std::string& hash, ResultKind kind,
                    const DeviceRecord& device = Cpu) const {
    return {problem_.signature, device.signature, hash, kind};
  }

  void add_result(const std::string& hash, ResultKind kind, double microseconds,
                  const DeviceRecord& device = Cpu, std::vector<CostPoint> trace = {}) {
    const double seconds = 1e-6 * microseconds;
    add({ScheduleResult{.slot = slot(hash, kind, device),
                        .nonlinear_seconds = seconds,
                        .linear_seconds = seconds / 20,
                        .linear_iterations = 10,
                        .samples = {seconds},
                        .trace = std::move(trace)}});
  }
  void add_failure(const std::string& hash, ResultKind kind, ResultStatus status,
                   const std::string& reason) {
    add({ScheduleResult{.slot = slot(hash, kind), .status = status, .reason = reason}});
  }

  void add_schedule(const std::string& hash, const std::string& text, const Times& times,
                    std::optional<std::string> index = {}) {
    ScheduleRecord record{.problem = problem_.signature, .hash = hash, .text = text, .bytes = 1000};
    if (index) record.places = {{SampleSpace.id, index}};
    record.predictions = {
        {Cpu.signature, "analytic", 1e-6 * times.analytic, 1e-7 * times.analytic},
        {Cpu.signature, "roofline", 1e-6 * times.roofline, 1e-7 * times.roofline}};
    add({record});
    if (times.composed) add_result(hash, ResultKind::Composed, *times.composed);
    if (times.end_to_end) add_result(hash, ResultKind::EndToEnd, *times.end_to_end);
  }

  // Five schedules, of which one is the default.
  void add_five() {
    const std::string standard = hash_of_named("default");
    add_schedule(standard, "", {120.0, 100.0, 60, 10});
    add_schedule("b", "b\n", {100.0, 125.0, 50, 40}, "10");
    add_schedule("c", "c\n", {200.0, {}, 100, 30}, "9");
    add_schedule("d", "d\n", {400.0, {}, 200, 20}, "100");
    add_schedule("e", "e\n", {300.0, {}, 250, 50}, "101");
  }

  std::string hash_of_named(const std::string& name) const {
    for (const NamedProposal& proposal : named_proposals(problem_, std::nullopt))
      if (proposal.name == name) return proposal.proposal.hash;
    return "";
  }

  const CostModel& model() { return **session_.cost_models().lookup("analytic"); }
  Expected<ExplorationReport> try_report(const ReportOptions& options = {}) {
    return make_report(store_, problem_, model(), options);
  }
  DeviceReport report() { return try_report().value().devices.at(0); }

  static const Mark& mark(const DeviceReport& report, const std::string& name) {
    for (const Mark& mark : report.marks)
      if (mark.name == name) return mark;
    throw std::runtime_error("no mark " + name);
  }

  TempDir folder_;
  Session session_;
  ExploredProblem problem_;
  MeasurementStore store_;
};

TEST(MarkLines, AreOneOfMarksAtTheSameTime) {
  const std::vector<MarkLine> lines = mark_lines(std::vector<Mark>{{"auto", "a", 1e-3, 0},
                                                                   {"best", "a", 1e-3, 0},
                                                                   {"opt", "o", {}, {}},
                                                                   {"default", "d", 2e-3, 100},
                                                                   {"file", "f", 0.02, 1900}});
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0].text, "best, auto 1 ms");
  EXPECT_EQ(lines[1].text, "default +100 %");
  EXPECT_EQ(lines[2].text, "file 20 ×");
}

TEST_F(Report, HasCandidatesByNumberAndThenByHash) {
  add_five();
  const auto all = try_report();
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_EQ(all->problem.name, "curve_fit");
  ASSERT_THAT(all->spaces, SizeIs(1));
  EXPECT_EQ(all->spaces[0].id, SampleSpace.id);
  ASSERT_THAT(all->devices, SizeIs(1));
  std::vector<std::string> hashes;
  for (const Candidate& candidate : all->devices[0].candidates) hashes.push_back(candidate.hash);
  EXPECT_THAT(hashes, ElementsAre("c", "b", "d", "e", hash_of_named("default")));
  EXPECT_EQ(all->devices[0].candidates[0].index, SampleSpace.id + ":9");
  EXPECT_EQ(all->devices[0].num_timed, 5u);
}

TEST_F(Report, MarksSayHowFarTheyAreOffTheBest) {
  add_five();
  const DeviceReport report = this->report();
  EXPECT_EQ(report.kind, ResultKind::Composed);
  EXPECT_EQ(mark(report, "best").hash, "b");
  EXPECT_THAT(mark(report, "best").percent_off, Optional(0.0));
  EXPECT_THAT(mark(report, "default").seconds, Optional(DoubleNear(120e-6, 1e-15)));
  EXPECT_THAT(mark(report, "default").percent_off, Optional(DoubleNear(20, 1e-9)));
  EXPECT_THAT(mark(report, "median").seconds, Optional(DoubleNear(200e-6, 1e-15)));
  EXPECT_THAT(mark(report, "median").percent_off, Optional(DoubleNear(100, 1e-9)));
  EXPECT_EQ(mark(report, "published-default").seconds, std::nullopt);
  ASSERT_THAT(report.fastest, SizeIs(5));
  EXPECT_EQ(report.candidates[report.fastest.front()].hash, "b");
  EXPECT_EQ(report.candidates[report.fastest.back()].hash, "d");
}

// Ranks by time 1 2 3 4 5 are b, default, c, e, d. Of analytic 1 2 3 5 4: rho = 1 - 6 * 2 / 120.
// Of roofline 4 1 3 5 2: rho = 1 - 6 * (9 + 1 + 0 + 1 + 9) / 120.
TEST_F(Report, ComparesPredictionsByRank) {
  add_five();
  const DeviceReport report = this->report();
  ASSERT_THAT(report.models, SizeIs(2));
  EXPECT_EQ(report.models[0].model, "analytic");
  EXPECT_EQ(report.models[0].num_compared, 5u);
  EXPECT_THAT(report.models[0].rho, Optional(DoubleNear(0.9, 1e-12)));
  EXPECT_NEAR(report.models[0].median_error, 0.5, 1e-12);
  EXPECT_THAT(report.models[0].first_percent_off, Optional(DoubleNear(0, 1e-9)));
  EXPECT_EQ(report.models[1].model, "roofline");
  EXPECT_THAT(report.models[1].rho, Optional(DoubleNear(0, 1e-12)));
  EXPECT_THAT(report.models[1].first_percent_off, Optional(DoubleNear(20, 1e-9)));
}

// 120 / 100 and 100 / 125.
TEST_F(Report, ComparesSumsOfStepsWithWholeSolves) {
  add_five();
  const Composition composition = report().composition;
  EXPECT_THAT(composition.pairs, SizeIs(2));
  EXPECT_NEAR(composition.median_error, 0.2, 1e-12);
  EXPECT_NEAR(std::abs(composition.worst_error), 0.2, 1e-12);
  add_schedule("f", "f\n", {300.0, 200.0, 1, 1});
  EXPECT_NEAR(report().composition.worst_error, 0.5, 1e-12);
}

TEST_F(Report, ComparesWholeSolvesWhereMoreSchedulesHaveThem) {
  add_schedule("a", "a\n", {100.0, 150.0, 1, 1});
  add_schedule("b", "b\n", {{}, 140.0, 1, 1});
  const DeviceReport report = this->report();
  EXPECT_EQ(report.kind, ResultKind::EndToEnd);
  EXPECT_EQ(mark(report, "best").hash, "b");
}

TEST_F(Report, GroupsFailuresThatDifferInNumbers) {
  add_five();
  for (const char* hash : {"f", "g", "h"}) add_schedule(hash, "x\n", {{}, {}, 1, 1});
  add_failure("f", ResultKind::Composed, ResultStatus::OutOfMemory, "it needs 12.5 GB, not 9 GB");
  add_failure("g", ResultKind::Composed, ResultStatus::OutOfMemory, "it needs 700.25 GB, not 9 GB");
  add_failure("h", ResultKind::Composed, ResultStatus::DoesNotCompile, "error: 3");
  const DeviceReport report = this->report();
  ASSERT_THAT(report.failures, SizeIs(2));
  EXPECT_EQ(report.failures[0].status, ResultStatus::OutOfMemory);
  EXPECT_EQ(report.failures[0].count, 2u);
  EXPECT_EQ(report.failures[0].reason, "it needs 12.5 GB, not 9 GB");
  EXPECT_EQ(report.failures[1].count, 1u);
  EXPECT_EQ(report.num_timed, 5u);
}

TEST_F(Report, DoesNotCallAScheduleTheBestThatIsWrong) {
  add_five();
  add_failure("b", ResultKind::EndToEnd, ResultStatus::Mismatch, "JtJp differs by 1");
  const DeviceReport report = this->report();
  EXPECT_EQ(mark(report, "best").hash, hash_of_named("default"));
  EXPECT_EQ(report.num_timed, 4u);
  EXPECT_THAT(report.composition.pairs, SizeIs(1));
}

TEST_F(Report, SaysWhenSolvesComeNearTheBestCost) {
  add_schedule("a", "a\n", {100.0, {}, 1, 1});
  add_schedule("b", "b\n", {100.0, {}, 1, 1});
  add_result("a", ResultKind::EndToEnd, 100, Cpu, {{0, 5}, {1, 1.009}, {2, 1.0005}, {3, 1}});
  add_result("b", ResultKind::EndToEnd, 100, Cpu,
             {{0, 5}, {0.5, 1.02}, {1.5, 1.005}, {2, std::numeric_limits<double>::infinity()}});
  const DeviceReport report = this->report();
  EXPECT_THAT(report.best_cost, Optional(1.0));
  ASSERT_THAT(report.traces, SizeIs(2));
  EXPECT_THAT(report.traces[0].to_one_percent, Optional(1.0));
  EXPECT_THAT(report.traces[0].to_one_permille, Optional(2.0));
  EXPECT_THAT(report.traces[1].points, SizeIs(3));
  EXPECT_THAT(report.traces[1].to_one_percent, Optional(1.5));
  EXPECT_EQ(report.traces[1].to_one_permille, std::nullopt);
}

TEST_F(Report, CountsStepsOnce) {
  add_five();
  for (const char* key : {"k1", "k2", "k3"}) {
    add({StepRecord{problem_.signature, key, "apply", ""}});
    for (const CacheState cache : {CacheState::Hot, CacheState::Evicted}) {
      StepSamples samples{.slot = {problem_.signature, Cpu.signature, key, cache},
                          .seconds = {1e-6}};
      if (std::string(key) == "k3") {
        samples.seconds.clear();
        samples.reason = "it crashed";
      }
      add({samples});
    }
  }
  EXPECT_EQ(report().num_steps, 2u);
  EXPECT_EQ(report().num_failed_steps, 1u);
}

TEST_F(Report, ShowsWhereTheTimeOfTheFastestGoes) {
  add_five();
  EXPECT_TRUE(report().slowest.hash.empty());
  const KernelRecord kernel = {"kernel", Cpu.signature, "apply", 64, 16, 0, 2.0};
  add({kernel, KernelRecord{"kernel", "another device", "apply", 32, 0, 0, 1.0},
       StepRecord{problem_.signature, "s1", "apply [fit]", "", "kernel"},
       StepRecord{problem_.signature, "s2", "clear b", ""}});
  for (const auto& [key, seconds] : {std::pair("s1", 1e-6), std::pair("s2", 4e-6)}) {
    add({StepSamples{.slot = {problem_.signature, Cpu.signature, key, CacheState::Hot},
                     .seconds = {seconds, 3 * seconds, 2 * seconds}}});
  }
  // The fastest, b, was not run end to end.
  ScheduleRecord standard{
      .problem = problem_.signature, .hash = hash_of_named("default"), .bytes = 1000};
  standard.steps = {{Cpu.signature, "s1", 10, 5e-6}, {Cpu.signature, "s2", 1, {}}};
  add({standard});
  const DeviceReport report = this->report();
  EXPECT_EQ(report.num_kernels, 1u);
  EXPECT_EQ(report.num_spilling, 1u);
  EXPECT_THAT(report.compile_seconds, Optional(2.0));
  EXPECT_THAT(report.most_registers, Optional(64));
  EXPECT_EQ(report.slowest.hash, standard.hash);
  ASSERT_THAT(report.slowest.steps, SizeIs(2));
  const StepCost& apply = report.slowest.steps[0];
  EXPECT_EQ(apply.label, "apply [fit]");
  EXPECT_THAT(apply.registers, Optional(64));
  EXPECT_THAT(apply.hot, Optional(2e-6));
  EXPECT_EQ(apply.evicted, std::nullopt);
  EXPECT_THAT(apply.predicted, Optional(5e-6));
  EXPECT_NEAR(apply.seconds(), 20e-6, 1e-12);
  EXPECT_EQ(report.slowest.steps[1].registers, std::nullopt);
}

TEST_F(Report, KeepsDevicesApart) {
  add_five();
  const DeviceRecord other = {"cpu other machine", "Other CPU", "cpu"};
  add({other});
  add_result("d", ResultKind::Composed, 7, other);
  const auto all = try_report();
  ASSERT_TRUE(all);
  ASSERT_THAT(all->devices, SizeIs(2));
  const auto chosen = try_report({.device = "other"});
  ASSERT_TRUE(chosen);
  ASSERT_THAT(chosen->devices, SizeIs(1));
  EXPECT_EQ(chosen->devices[0].device, other);
  EXPECT_THAT(chosen->devices[0].candidates, SizeIs(1));
  EXPECT_EQ(mark(chosen->devices[0], "best").hash, "d");

  const auto missing = try_report({.device = "H300"});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message(), AllOf(HasSubstr("fit.store"), HasSubstr("'H300'"),
                                               HasSubstr("Test CPU"), HasSubstr("Other CPU")));
  const auto ambiguous = try_report({.device = "", .device_spec = "h200"});
  ASSERT_FALSE(ambiguous);
  EXPECT_THAT(ambiguous.error().message(), HasSubstr("choose one by the option 'device'"));
  const auto wrong = try_report({.device = "other", .device_spec = "h200"});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), HasSubstr("spec of backend cuda"));
}

TEST_F(Report, NamesTheProblemsOfAStoreWithoutThisOne) {
  MeasurementStore other = open_store(folder_.path() / "other.store");
  ASSERT_TRUE(other.add(all_records(), Existing::Keep));
  const auto report = make_report(other, problem_, model(), {});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message(),
              AllOf(HasSubstr("other.store"), HasSubstr("curve_fit (" + problem_.signature),
                    HasSubstr("image_warping (p0123456789ab size=64)")));
}

TEST_F(Report, EstimatesWithANamedSpec) {
  const DeviceRecord gpu = {"cuda test", "Test GPU", "cuda"};
  add({gpu});
  const std::string standard = hash_of_named("default");
  add_schedule(standard, "", {{}, {}, 1, 1});
  add_result(standard, ResultKind::Composed, 120, gpu);
  const auto report = try_report({.device = "Test GPU", .device_spec = "h200"});
  ASSERT_TRUE(report) << report.error().message();
  const DeviceReport& its = report->devices.at(0);
  ASSERT_TRUE(its.spec);
  EXPECT_EQ(its.num_estimated, 1u);
  ASSERT_THAT(its.models, SizeIs(1));
  EXPECT_EQ(its.models[0].model, "estimate");
  EXPECT_GT(its.candidates.at(0).predictions.at("estimate").nonlinear_seconds, 1e-7);
  EXPECT_LT(its.candidates.at(0).predictions.at("estimate").nonlinear_seconds, 1e-2);

  // curve_fit has one residual, so that its default schedule has no directive to be reached by.
  const auto wanted = problem_.read("r.fit:strategy(\"[JtJ]p\")\n");
  ASSERT_TRUE(wanted) << wanted.error().message();
  const auto steps = schedule_steps(problem_, model(), its, *wanted);
  ASSERT_TRUE(steps) << steps.error().message();
  ASSERT_GE(steps->size(), 2u);
  EXPECT_THAT(steps->front().change, ElementsAre("published-default"));
  EXPECT_THAT(steps->front().factor, Optional(1.0));
  EXPECT_EQ(steps->back().hash, wanted->hash(*problem_.constructs).hex());
  EXPECT_THAT(steps->at(1).change, ElementsAre("r.fit:strategy(\"[JtJ]p\")"));
  EXPECT_FALSE(steps->at(1).is_factor_measured);
  EXPECT_THAT(steps->at(1).factor,
              Optional(DoubleNear(*steps->front().predicted / *steps->at(1).predicted, 1e-12)));
}

TEST_F(Report, StepsHaveMeasuredTimesWhereTheStoreHas) {
  const std::string base = hash_of_named("published-default");
  const std::string standard = hash_of_named("default");
  ASSERT_NE(base, standard);
  add_schedule(base, "", {300.0, {}, 1, 1});
  add_schedule(standard, "", {100.0, {}, 1, 1});
  const auto steps = schedule_steps(problem_, model(), report(), Schedule());
  ASSERT_TRUE(steps) << steps.error().message();
  EXPECT_THAT(steps->front().measured, Optional(DoubleNear(300e-6, 1e-15)));
  EXPECT_THAT(steps->back().factor, Optional(DoubleNear(3, 1e-12)));
  EXPECT_TRUE(steps->back().is_factor_measured);
  EXPECT_THAT(steps->back().change.front(), testing::StartsWith("without "));
}

// The texts of a picture; throws when it is no well-formed XML.
std::multiset<std::string> texts_of(const std::string& svg) {
  std::istringstream stream(svg);
  boost::property_tree::ptree tree;
  boost::property_tree::read_xml(stream, tree);
  std::multiset<std::string> texts;
  for (const auto& [name, child] : tree.get_child("svg"))
    if (name == "text") texts.insert(child.data());
  return texts;
}

TEST_F(Report, HasPicturesWithTheMarks) {
  add_five();
  add_result("b", ResultKind::EndToEnd, 125, Cpu, {{0, 100}, {1e-3, 10}, {2e-3, 1}});
  std::map<std::string, std::multiset<std::string>> texts;
  for (const Figure& figure : figures_of(report())) {
    const std::string svg = figure.picture.file(plot::Theme::FollowsReader);
    texts[figure.name] = texts_of(svg);
    EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
    EXPECT_THAT(figure.picture.file(plot::Theme::Dark), Not(HasSubstr("prefers-color-scheme")));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
  }
  ASSERT_THAT(texts, SizeIs(4));
  EXPECT_TRUE(texts["distribution"].contains("best 100 µs"));
  EXPECT_TRUE(texts["distribution"].contains("default, opt +20 %") ||
              texts["distribution"].contains("default +20 %"));
  EXPECT_TRUE(texts["distribution"].contains("median +100 %"));
  EXPECT_TRUE(texts["prediction"].contains("ρ = 0.900"));
  EXPECT_TRUE(texts["prediction"].contains("analytic"));
  EXPECT_TRUE(texts["composition"].contains("median error 20.0 %"));
  EXPECT_TRUE(texts["convergence"].contains("best"));
}

TEST_F(Report, DrawsATimeThatNeverDiffers) {
  add_schedule("a", "a\n", {100.0, {}, 1, 1});
  const DeviceReport report = this->report();
  EXPECT_EQ(report.models[0].rho, std::nullopt);
  const std::vector<Figure> figures = figures_of(report);
  ASSERT_THAT(figures, SizeIs(2));
  EXPECT_THAT(texts_of(figures[0].picture.file(plot::Theme::Dark)),
              testing::Contains("best, median 100 µs"));
}

TEST_F(Report, HasNoPicturesOfWhatWasNotMeasured) {
  add_schedule("a", "a\n", {{}, {}, 1, 1});
  EXPECT_THAT(figures_of(report()), IsEmpty());
}

}  // namespace
}  // namespace thallo::test
