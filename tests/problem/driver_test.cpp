#include "core/problem/driver.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/energy/builder.h"
#include "core/kernel/lower.h"

namespace thallo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// X(i) is drawn to a target that moves a step further with every solve, and that grows when asked.
class Chase : public Problem {
 public:
  ProblemInfo info() const override { return {"chase", "A moving target", "", ""}; }

  std::vector<OptionSpec> options() const override {
    return {{.name = "size", .default_value = std::int64_t{3}, .doc = "elements", .minimum = 0},
            {.name = "channels", .default_value = std::int64_t{1}, .doc = "of an element"},
            {.name = "solves", .default_value = std::int64_t{1}, .doc = "solves"},
            {.name = "grow", .default_value = false, .doc = "one element more each solve"},
            {.name = "switch_solver", .default_value = false, .doc = "lm from the second on"},
            {.name = "use_preconditioner", .default_value = true, .doc = "of the energy file"},
            {.name = "fail_in", .default_value = std::string(), .doc = "stage that fails"}};
  }

  Expected<EnergyFile> energy(const Options& options) const override {
    if (options.value_or<std::string>("fail_in", "") == "energy") return fail("no energy today");
    EnergyBuilder e("chase");
    const DimId n = e.dim("N");
    const FieldHandle x = e.unknown("X", {n}, channels_of(options));
    const Expr target = e.param("target");
    const IndexExpr i = e.domain(n);
    e.residual("chase", x(i) - target);
    auto energy = std::move(e).build();
    if (!energy) return fail(energy.error());
    return EnergyFile{*std::move(energy),
                      {.use_preconditioner = options.value_or("use_preconditioner", true)}};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    const auto fails = options.value_or<std::string>("fail_in", "");
    if (fails == "instantiate") return fail("no data today");
    if (fails == "input memory") throw std::bad_alloc();
    Instance instance(energy);
    auto data = std::make_shared<Data>();
    data->options = options;
    data->size = options.value_or<std::int64_t>("size", 0);
    instance.data = data;
    instance.title = "a chase";
    instance.precision = Precision::Double;
    instance.solver.num_iterations = 2;
    if (auto resized = resize(instance); !resized) return fail(resized.error());
    if (auto set = instance.binding.set_param("target", 1); !set) return fail(set.error());
    return instance;
  }

  Expected<bool> advance(Instance& instance, int solve, const Solution& solution) const override {
    auto& data = dynamic_cast<Data&>(*instance.data);
    EXPECT_EQ(solution.solves.size(), static_cast<std::size_t>(solve) + 1);
    data.reached.push_back(instance.binding.field(FieldId(0)).value(0));
    const auto fails = data.options.value_or<std::string>("fail_in", "");
    if (fails == "advance") return fail("no step today");
    if (fails == "memory") throw std::bad_alloc();
    if (solve + 1 >= data.options.value_or<std::int64_t>("solves", 1)) return false;
    if (auto set = instance.binding.set_param("target", solve + 2); !set) return fail(set.error());
    if (data.options.value_or("switch_solver", false)) {
      instance.solver.solver = SolverKind::LevenbergMarquardt;
    }
    if (data.options.value_or("grow", false)) {
      data.size += 1;
      if (auto resized = resize(instance); !resized) return fail(resized.error());
    }
    return true;
  }

  Report report(const Instance& instance, const Solution& solution) const override {
    Report report;
    const auto& data = dynamic_cast<const Data&>(*instance.data);
    while (data.options.value_or<std::string>("fail_in", "") == "metrics") check_stop();
    for (const double value : data.reached) {
      report.metrics.push_back({"reached", value, "m"});
    }
    report.metrics.push_back({"final cost", solution.final_cost(), ""});
    return report;
  }

 private:
  struct Data : InstanceData {
    Options options;
    std::int64_t size = 0;
    std::vector<double> reached;
  };

  static int channels_of(const Options& options) {
    return static_cast<int>(options.value_or<std::int64_t>("channels", 1));
  }

  static Expected<void> resize(Instance& instance) {
    const auto& data = dynamic_cast<const Data&>(*instance.data);
    const std::int64_t size = data.size;
    if (auto set = instance.binding.set_extent("N", size); !set) return set;
    const auto scalars = static_cast<std::size_t>(size * channels_of(data.options));
    return instance.binding.set_field("X", std::vector<double>(scalars, 0.0));
  }
};

class SolveProblem : public testing::Test {
 protected:
  Expected<thallo::Run> run(RunRequest request) {
    request.progress = [this](const RunProgress& progress) {
      stages_.push_back(fmt::format("{} {}", to_string(progress.stage), progress.solve));
      if (stages_.back() == cancel_at_) cancel_.request_stop();
      EXPECT_EQ(progress.iteration != nullptr, progress.stage == RunStage::Iteration);
    };
    return solve_problem(Chase(), request, *backend_);
  }

  // A run that is cancelled when it begins that stage.
  Expected<thallo::Run> run_until(const std::string& stage, RunRequest request) {
    cancel_at_ = stage;
    request.stop = cancel_.get_token();
    return run(std::move(request));
  }

  std::vector<std::string> stages_;
  std::string cancel_at_;
  std::stop_source cancel_;
  std::unique_ptr<Backend> backend_ = *make_interpreter_backend();
};

TEST_F(SolveProblem, RunsFromOptionsToReport) {
  const auto run = this->run({});
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_THAT(stages_,
              ElementsAre("energy 0", "instantiate 0", "compile 0", "bind 0", "solve 0",
                          "iteration 0", "iteration 0", "iteration 0", "advance 0", "report 1"));
  ASSERT_EQ(run->solution.solves.size(), 1u);
  const SolverSummary& summary = run->solution.solves[0];
  EXPECT_EQ(summary.num_unknowns, 3);
  EXPECT_EQ(summary.num_residuals, 3);
  EXPECT_DOUBLE_EQ(summary.initial_cost, 1.5);
  EXPECT_NEAR(summary.final_cost, 0, 1e-20);
  EXPECT_EQ(summary.options.preconditioner, "jacobi");
  EXPECT_EQ(run->solution.backend, "interpreter");
  EXPECT_EQ(run->solution.precision, Precision::Double);
  EXPECT_NEAR(run->report.metrics[0].value, 1, 1e-12);
}

TEST_F(SolveProblem, AdvancesFromSolveToSolveWithOneCompilation) {
  const auto run = this->run({.options = {{"solves", std::int64_t{3}}, {"grow", true}}});
  ASSERT_TRUE(run) << run.error().message();
  ASSERT_EQ(run->solution.solves.size(), 3u);
  EXPECT_EQ(std::ranges::count(stages_, "compile 0"), 1);
  EXPECT_EQ(std::ranges::count(stages_, "compile 1"), 0);
  EXPECT_EQ(run->solution.solves[2].num_unknowns, 5);
  for (std::size_t solve = 0; solve < 3; ++solve) {
    EXPECT_NEAR(run->report.metrics[solve].value, static_cast<double>(solve) + 1, 1e-12);
  }
}

TEST_F(SolveProblem, CompilesAgainWhenTheKindOfSolverChanges) {
  const auto run = this->run({.options = {{"solves", std::int64_t{3}}, {"switch_solver", true}}});
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_EQ(std::ranges::count(stages_, "compile 1"), 1);
  EXPECT_EQ(std::ranges::count(stages_, "compile 2"), 0);
  EXPECT_EQ(run->solution.solves[1].options.solver, SolverKind::LevenbergMarquardt);
}

TEST_F(SolveProblem, SolverOptionsOfTheRequestWin) {
  const auto run = this->run(
      {.solver_options = {{"nIterations", "1"}, {"solver", "lm"}, {"preconditioner", "none"}}});
  ASSERT_TRUE(run) << run.error().message();
  const SolverOptions& options = run->solution.solves[0].options;
  EXPECT_EQ(options.num_iterations, 1);
  EXPECT_EQ(options.solver, SolverKind::LevenbergMarquardt);
  EXPECT_EQ(options.preconditioner, "none");
}

TEST_F(SolveProblem, CancellationEndsTheRunWithAReport) {
  const auto run = run_until("iteration 0", {.options = {{"solves", std::int64_t{5}}}});
  ASSERT_TRUE(run) << run.error().message();
  ASSERT_EQ(run->solution.solves.size(), 1u);
  EXPECT_EQ(run->solution.solves[0].termination, Termination::Cancelled);
  EXPECT_EQ(run->report.metrics.size(), 1u);
}

TEST_F(SolveProblem, CancelledBeforeTheFirstSolveHasNothingToReport) {
  for (const char* stage : {"energy 0", "instantiate 0", "compile 0"}) {
    cancel_ = std::stop_source();
    stages_.clear();
    const auto run = run_until(stage, {});
    ASSERT_FALSE(run) << stage;
    EXPECT_EQ(run.error().what, "the run was cancelled before it solved anything");
    EXPECT_EQ(std::ranges::count(stages_, "bind 0"), 0) << stage;
  }
}

TEST_F(SolveProblem, CancelledWhileItCompilesAgainReportsWhatWasReached) {
  const auto run =
      run_until("compile 1", {.options = {{"solves", std::int64_t{3}}, {"switch_solver", true}}});
  ASSERT_TRUE(run) << run.error().message();
  ASSERT_EQ(run->solution.solves.size(), 1u);
  EXPECT_NE(run->executable, nullptr);
  EXPECT_NEAR(run->report.metrics[0].value, 1, 1e-12);
}

TEST_F(SolveProblem, CancelledWhileItsMetricsAreComputedKeepsWhatWasSolved) {
  LogCapture log;
  const auto run = run_until("report 1", {.options = {{"fail_in", std::string("metrics")}}});
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_EQ(run->solution.solves.size(), 1u);
  EXPECT_TRUE(run->report.metrics.empty());
  EXPECT_TRUE(run->report.is_cut);
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_EQ(log.records()[0].text, "there are no metrics, since the run was told to end");
}

TEST_F(SolveProblem, TakesAScheduleAsText) {
  const auto fine = run({.schedule = "nobody asks for this one", .schedule_text = ""});
  ASSERT_TRUE(fine) << fine.error().message();
  EXPECT_EQ(fine->schedule, "");
  const auto faulty = run({.schedule_text = "r.chase:nothing(1)"});
  ASSERT_FALSE(faulty);
  EXPECT_THAT(faulty.error().message(), HasSubstr("nothing"));
}

TEST_F(SolveProblem, FaultsOfTheRequestAreFoundBeforeAnythingRuns) {
  const auto option = run({.options = {{"sizes", std::int64_t{3}}}});
  ASSERT_FALSE(option);
  EXPECT_THAT(option.error().message(), HasSubstr("did you mean 'size'?"));
  EXPECT_TRUE(stages_.empty());

  const auto solver = run({.solver_options = {{"nIteration", "3"}}});
  ASSERT_FALSE(solver);
  EXPECT_THAT(solver.error().message(), HasSubstr("did you mean 'nIterations'?"));
  EXPECT_EQ(std::ranges::count(stages_, "compile 0"), 0);
}

TEST_F(SolveProblem, FaultsOfTheProblemArePassedOn) {
  for (const auto& [stage, text] :
       std::vector<std::pair<std::string, std::string>>{{"energy", "no energy today"},
                                                        {"instantiate", "no data today"},
                                                        {"advance", "no step today"}}) {
    const auto run = this->run({.options = {{"fail_in", stage}}});
    ASSERT_FALSE(run) << stage;
    EXPECT_EQ(run.error().what, text);
  }
}

TEST_F(SolveProblem, NamesTheExtentsWhenMemoryRunsOut) {
  const auto run = this->run({.options = {{"fail_in", std::string("memory")}}});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().what,
              HasSubstr("memory ran out: with N = 3, 'chase' has 3 unknowns and 3 residuals"));
}

TEST_F(SolveProblem, NamesTheOptionsWhenMemoryDoesNotHoldTheInput) {
  const auto run = this->run({.options = {{"fail_in", std::string("input memory")}}});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().what,
              HasSubstr("memory ran out while the input of 'chase' was made (channels=1, "
                        "fail_in=input memory, grow=false, size=3, "));
}

TEST_F(SolveProblem, DenseIsRefusedForManyUnknowns) {
  const auto run = this->run(
      {.options = {{"size", std::int64_t{513}}}, .solver_options = {{"linear_solver", "dense"}}});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().what, HasSubstr("at most 512 unknowns and 'chase' has 513"));
  EXPECT_TRUE(this->run({.options = {{"size", std::int64_t{512}}},
                         .solver_options = {{"linear_solver", "dense"}, {"nIterations", "0"}}}));
}

TEST_F(SolveProblem, DefaultsOfTheEnergyFileReachTheSolver) {
  const auto preconditioner = [this](std::vector<std::pair<std::string, std::string>> chosen) {
    const auto run = this->run(
        {.options = {{"use_preconditioner", false}}, .solver_options = std::move(chosen)});
    return run->solution.solves.at(0).options.preconditioner;
  };
  EXPECT_EQ(preconditioner({}), "none");
  EXPECT_EQ(preconditioner({{"preconditioner", "block_jacobi"}}), "block_jacobi");
}

TEST_F(SolveProblem, SaysOnceThatElementsAreTooLargeForBlocks) {
  const LogCapture log;
  const auto run =
      this->run({.options = {{"channels", std::int64_t{17}}, {"solves", std::int64_t{3}}},
                 .solver_options = {{"preconditioner", "block_jacobi"}}});
  ASSERT_TRUE(run) << run.error().message();
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_EQ(
      log.records()[0].text,
      "block_jacobi has blocks for elements of at most 16 channels; 'X' of 'chase' has jacobi");
  const SolverSummary& last = run->solution.solves.back();
  EXPECT_THAT(last.unknowns_without_block, ElementsAre("X"));
  EXPECT_THAT(last.full(), HasSubstr("too large for blocks"));

  const auto small = this->run({.options = {{"channels", std::int64_t{16}}},
                                .solver_options = {{"preconditioner", "block_jacobi"}}});
  EXPECT_THAT(small->solution.solves.back().unknowns_without_block, testing::IsEmpty());
  EXPECT_EQ(log.records().size(), 1u);
}

TEST_F(SolveProblem, ChoosesTheLinearSolverThatNobodyNamed) {
  const auto summary = [this](std::vector<std::pair<std::string, std::string>> solver_options) {
    solver_options.emplace_back("solver", "lm");
    const auto run = this->run({.solver_options = std::move(solver_options)});
    EXPECT_TRUE(run) << run.error().message();
    return run ? run->solution.solves.front() : SolverSummary();
  };
  const SolverSummary chosen = summary({});
  EXPECT_EQ(chosen.options.linear_solver, "dense");
  EXPECT_EQ(chosen.why_linear_solver, "3 unknowns are few");
  EXPECT_THAT(chosen.full(), HasSubstr("chosen: 3 unknowns are few"));
  EXPECT_EQ(summary({{"linear_solver", "auto"}, {"lIterations", "5"}}).options.linear_solver,
            "dense");
  // Who sets how PCG iterates wants it.
  EXPECT_EQ(summary({{"lIterations", "5"}}).options.linear_solver, "pcg");
  const SolverSummary named = summary({{"linear_solver", "sparse_cholesky"}});
  EXPECT_EQ(named.options.linear_solver, "sparse_cholesky");
  EXPECT_EQ(named.why_linear_solver, "");
  EXPECT_NEAR(named.final_cost, chosen.final_cost, 1e-12);
}

TEST_F(SolveProblem, ChoosesTheLinearSolverAgainWhereTheSolverChanges) {
  const auto run = this->run({.options = {{"solves", std::int64_t{2}}, {"switch_solver", true}}});
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_EQ(run->solution.solves[0].options.linear_solver, "pcg") << "of Gauss-Newton";
  EXPECT_EQ(run->solution.solves[1].options.linear_solver, "dense");
}

TEST(ProgramOptions, DefaultsDecideThePreconditionerThatNobodyChose) {
  const auto preconditioner = [](std::optional<bool> use) {
    return program_options({.use_preconditioner = use}, SolverOptions()).preconditioner;
  };
  EXPECT_EQ(preconditioner(std::nullopt), jacobi_preconditioner());
  EXPECT_EQ(preconditioner(true), jacobi_preconditioner());
  EXPECT_EQ(preconditioner(false), no_preconditioner());
}

}  // namespace
}  // namespace thallo
