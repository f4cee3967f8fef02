// Whole runs by a worker process: what it says meanwhile, what it answers, and how it is cancelled.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/explore/worker/worker.h"
#include "core/explore/worker/worker_pool.h"
#include "tests/explore/driven_worker.h"
#include "tests/explore/explorations.h"
#include "tests/support/processes.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre, testing::HasSubstr, testing::SizeIs;
using Kind = WorkerMessage::Kind;

RunOrder small_warp() {
  RunOrder order{.target = {.problem = "image_warping", .backend = "interpreter"}};
  order.target.options.set("size", std::int64_t{16});
  order.target.options.set("solves", std::int64_t{2});
  order.target.solver_options = {{"nIterations", "3"}, {"lIterations", "4"}};
  return order;
}

// It would take hours.
RunOrder endless_warp() {
  RunOrder order = small_warp();
  order.target.solver_options = {{"solver", "gn"}, {"nIterations", "100000000"}};
  return order;
}

TEST(WorkerRun, SaysItsStagesAndIterationsAndAnswersWithTheReport) {
  const TempDir folder;
  RunOrder order = small_warp();
  order.folder = (folder.path() / "new" / "report").string();
  DrivenWorker worker;
  std::vector<std::string> stages;
  std::vector<RunIteration> iterations;
  const RunAnswer answer = worker.answer_to(order, [&](const WorkerMessage& message) {
    if (message.kind == Kind::Part) iterations.push_back(message.as<RunIteration>());
    if (message.kind == Kind::Doing)
      stages.push_back(message.doing.what + " " + std::to_string(message.doing.solve));
  });
  const RunRecord& run = answer.run;
  EXPECT_THAT(stages, ElementsAre("energy 0", "instantiate 0", "compile 0", "bind 0", "solve 0",
                                  "advance 0", "bind 1", "solve 1", "advance 1", "report 2"));
  EXPECT_EQ(run.problem, "image_warping");
  EXPECT_EQ(answer.device, "interpreter");
  EXPECT_EQ(run.precision, Precision::Double);
  EXPECT_GT(run.num_unknowns, 0);
  EXPECT_FALSE(answer.cancelled);
  EXPECT_FALSE(run.labels.empty());
  ASSERT_THAT(run.solves, SizeIs(2));
  EXPECT_EQ(run.solves[1].termination, "MaxIterations");
  EXPECT_THAT(run.solves[1].why, HasSubstr("nIterations"));
  EXPECT_EQ(run.final_cost, run.solves[1].final_cost);
  EXPECT_LT(run.solves[1].final_cost, run.solves[1].initial_cost);

  ASSERT_THAT(iterations, SizeIs(8)) << "the start and three iterations of each solve";
  EXPECT_EQ(iterations[5].solve, 1);
  EXPECT_EQ(iterations[5].record.iteration, 1);
  EXPECT_EQ(iterations[5].record.cost, run.solves[1].iterations[1].cost);
  EXPECT_EQ(iterations[5].record.linear_iterations, run.solves[1].iterations[1].linear_iterations);
  EXPECT_GT(iterations[5].record.radius, 0);

  std::vector<std::string> units;
  for (const Metric& metric : run.metrics) units.push_back(metric.unit);
  EXPECT_THAT(units, testing::Contains("px"));
  ASSERT_FALSE(answer.files.empty());
  EXPECT_EQ(answer.files[0].kind, WrittenFile::Kind::Image);
  EXPECT_NE(answer.files[0].caption, "");
  for (const WrittenFile& file : answer.files) EXPECT_TRUE(fs::exists(file.path)) << file.path;
}

TEST(WorkerRun, ReportsMeshesAndTables) {
  const TempDir folder;
  DrivenWorker worker;
  const auto kinds_of = [&](const char* problem, const char* option, std::int64_t value) {
    RunOrder order{.target = {.problem = problem, .backend = "interpreter"},
                   .folder = (folder.path() / problem).string()};
    order.target.options.set(option, value);
    order.target.solver_options = {{"nIterations", "1"}};
    std::vector<WrittenFile::Kind> kinds;
    for (const WrittenFile& file : worker.answer_to(order).files) kinds.push_back(file.kind);
    return kinds;
  };
  using enum WrittenFile::Kind;
  EXPECT_THAT(kinds_of("cotangent_mesh_smoothing", "around", 12), testing::Contains(Mesh));
  EXPECT_THAT(kinds_of("curve_fit", "points", 40), testing::Contains(Table));
}

TEST(WorkerRun, TakesTheTextOfASchedule) {
  DrivenWorker worker;
  RunOrder order = small_warp();
  EXPECT_EQ(worker.answer_to(order).run.schedule, "");
  order.schedule = "r.fit:strategy(\"[JtJ]p\")\n";
  const std::string ran = worker.answer_to(order).run.schedule;
  EXPECT_THAT(ran, HasSubstr("[JtJ]p"));
  order.schedule = "r.fit:strategie(1)";
  EXPECT_THAT(worker.refusal_of(order), HasSubstr("strategie"));
}

TEST(WorkerRun, IsRefusedWithTheReason) {
  DrivenWorker worker;
  RunOrder order = small_warp();
  order.target.problem = "image_wraping";
  EXPECT_THAT(worker.refusal_of(order), HasSubstr("did you mean 'image_warping'?"));
  order = small_warp();
  order.folder = "/proc/none";
  EXPECT_THAT(worker.refusal_of(order), HasSubstr("/proc/none"));
  order = small_warp();
  order.target.plugin_path = {"/elsewhere"};
  EXPECT_THAT(worker.refusal_of(order), HasSubstr("start another for [/elsewhere]"));
  EXPECT_EQ(worker.answer_to(small_warp()).run.solves.size(), 2u) << "and goes on";
}

TEST(WorkerRun, CancelledWhileItIteratesAnswersWithWhatWasReached) {
  const TempDir folder;
  RunOrder order = endless_warp();
  order.folder = folder.path().string();
  DrivenWorker worker;
  const std::int64_t id = worker.ask(order);
  int iterations = 0;
  const WorkerMessage message = worker.wait([&](const WorkerMessage& heard) {
    if (heard.kind == Kind::Part && ++iterations == 5) worker.cancel(id);
  });
  ASSERT_EQ(message.kind, Kind::Answer) << message.fault.reason;
  const RunAnswer answer = message.as<RunAnswer>();
  EXPECT_TRUE(answer.cancelled);
  ASSERT_THAT(answer.run.solves, SizeIs(1));
  EXPECT_EQ(answer.run.solves[0].termination, "Cancelled");
  EXPECT_LT(answer.run.final_cost, answer.run.initial_cost);
  EXPECT_FALSE(answer.files.empty());
}

TEST(WorkerRun, CancelsARequestThatWaits) {
  DrivenWorker worker;
  const std::int64_t first = worker.ask(endless_warp());
  const std::int64_t second = worker.ask(endless_warp());
  const std::int64_t third = worker.ask(small_warp());
  worker.cancel(second);
  worker.cancel(first);
  EXPECT_EQ(worker.wait().id, first);
  const WorkerMessage waited = worker.wait();
  EXPECT_EQ(waited.id, second);
  EXPECT_EQ(waited.kind, Kind::Error);
  EXPECT_TRUE(waited.fault.is_cancelled);
  const WorkerMessage last = worker.wait();
  EXPECT_EQ(last.id, third);
  EXPECT_EQ(last.kind, Kind::Answer);
}

TEST(WorkerRun, AnswersGarbageAndGoesOn) {
  DrivenWorker worker;
  for (const char* garbage :
       {"garbage", "[1]", "{}", R"({"id":"one"})", R"({"id":"one","do":"cancel"})"}) {
    worker.send(garbage);
    const WorkerMessage message = worker.wait();
    EXPECT_EQ(message.kind, Kind::Error) << garbage;
    EXPECT_EQ(message.id, 0) << garbage;
    EXPECT_FALSE(message.fault.is_cancelled);
  }
  worker.cancel(77);  // of no request: nothing to say
  EXPECT_THAT(worker.refusal_of(PrepareRequest{""}), HasSubstr("no problem was opened"));
}

TEST(WorkerRun, TheEndOfTheInputCancelsAll) {
  std::istringstream in(request_line(1, endless_warp()) + "\n" + request_line(2, endless_warp()) +
                        "\n");
  std::ostringstream out;
  run_worker(in, out);
  std::vector<std::int64_t> answered;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) {
    const auto message = read_message(line);
    ASSERT_TRUE(message) << line;
    if (message->kind != Kind::Answer && message->kind != Kind::Error) continue;
    answered.push_back(message->id);
    EXPECT_TRUE(message->kind == Kind::Error ? message->fault.is_cancelled
                                             : message->as<RunAnswer>().cancelled);
  }
  EXPECT_THAT(answered, ElementsAre(1, 2));
}

// A host compiler that does something else, and an empty cache, for the time of a test.
class WorkerThatCompiles : public testing::Test {
 protected:
  // `$folder` is that of the test.
  void compile_by(const std::string& script) {
    const fs::path compiler = folder_.write(
        "cc", "#!/bin/sh\nif [ \"$1\" = --version ]; then echo ours; exit 0; fi\nfolder=" +
                  folder_.path().string() + "\n" + script + "\n");
    fs::permissions(compiler, fs::perms::owner_all);
    compiler_.emplace("THALLO_CC", compiler.c_str());
  }
  // Itself and a child, in a file each, and then nothing for a minute.
  void compile_by_hanging() {
    // Of several compilers the first one writes. Whoever finds the second file finds both written.
    compile_by(
        "mkdir $folder/first 2>/dev/null || exec sleep 60; sleep 60 & echo $! > $folder/child; "
        "echo $$ > $folder/new; mv $folder/new $folder/self; wait");
  }
  bool is_compiling() const { return fs::exists(folder_.path() / "self"); }
  void wait_until_it_compiles() const {
    for (int i = 0; i < 300 && !is_compiling(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ASSERT_TRUE(is_compiling());
  }
  void expect_no_compiler_runs() const {
    for (const char* name : {"self", "child"}) {
      int process = 0;
      std::ifstream(folder_.path() / name) >> process;
      ASSERT_GT(process, 0);
      // Only the compiler itself is waited for.
      for (int i = 0; i < 50 && is_running(process); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      EXPECT_FALSE(is_running(process)) << name;
    }
  }
  RunOrder order() const {
    RunOrder order = small_warp();
    order.target.backend = "cpu";
    return order;
  }

  TempDir folder_;
  ScopedEnv cache_{"THALLO_CACHE_DIR", (folder_.path() / "cache").c_str()};
  std::optional<ScopedEnv> compiler_;
};

// Finds a worker that is cancelled and leaves its compilers to run.
TEST_F(WorkerThatCompiles, IsCancelledWithItsCompilers) {
  compile_by_hanging();
  DrivenWorker worker;
  const std::int64_t id = worker.ask(order());
  wait_until_it_compiles();
  worker.cancel(id);
  std::vector<std::string> stages;
  const WorkerMessage message =
      worker.wait([&](const WorkerMessage& heard) { stages.push_back(heard.doing.what); },
                  std::chrono::seconds(20));
  EXPECT_EQ(message.kind, Kind::Error);
  EXPECT_TRUE(message.fault.is_cancelled);
  EXPECT_EQ(message.fault.status, ResultStatus::NotRun);
  EXPECT_EQ(message.fault.reason, "the run was cancelled before it solved anything");
  EXPECT_THAT(stages, testing::Contains("compile"));
  expect_no_compiler_runs();
}

TEST_F(WorkerThatCompiles, IsCancelledWhileItPrepares) {
  compile_by_hanging();
  DrivenWorker worker;
  worker.answer_to(OpenRequest{.target = order().target});
  const std::int64_t id = worker.ask(PrepareRequest{""});
  wait_until_it_compiles();
  worker.cancel(id);
  const WorkerMessage message = worker.wait({}, std::chrono::seconds(20));
  EXPECT_TRUE(message.fault.is_cancelled);
  EXPECT_EQ(message.fault.status, ResultStatus::NotRun) << "it is no fault of the schedule";
  expect_no_compiler_runs();
}

TEST_F(WorkerThatCompiles, FailsItsRunAloneWhenItIsKilled) {
  compile_by("kill -9 $PPID");
  WorkerPool pool({{[] {
                      return WorkerProcess::start({THALLO_PROGRAM, "worker"});
                    },
                    OpenRequest{.target = small_warp().target}}},
                  std::chrono::seconds(60));
  std::vector<WorkAnswer> answers;
  std::vector<double> costs;
  const auto done = [&](const WorkAnswer& answer) { answers.push_back(answer); };
  pool.submit({.request = order(), .done = done});
  const auto heard = [&](const WorkerMessage& message) {
    if (message.kind == Kind::Part) costs.push_back(message.as<RunIteration>().record.cost);
  };
  pool.submit({.request = small_warp(), .heard = heard, .done = done});
  const auto ran = pool.run([] { return true; });
  ASSERT_TRUE(ran) << ran.error().message();
  ASSERT_THAT(answers, SizeIs(2));
  EXPECT_EQ(answers[0].status, ResultStatus::Crash);
  EXPECT_EQ(answers[0].why(),
            "the worker was ended by signal 9 (Killed, as when memory runs out) at: compile");
  EXPECT_EQ(answers[1].status, ResultStatus::Ok) << answers[1].reason;
  EXPECT_THAT(costs, SizeIs(8));
}

}  // namespace
}  // namespace thallo::test
