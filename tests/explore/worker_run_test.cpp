// Whole runs by a worker process: what it says meanwhile, what it answers, and how it is cancelled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/explore/work/run_answer.h"
#include "core/explore/work/run_order.h"
#include "core/explore/work/worker.h"
#include "core/explore/work/worker_pool.h"
#include "tests/explore/driven_worker.h"
#include "tests/explore/explorations.h"
#include "tests/support/processes.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Kind = WorkerMessage::Kind;

RunOrder small_warp() {
  RunOrder order{.target = {.problem = "image_warping", .backend = "interpreter"},
                 .schedule = "default"};
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
  const RunAnswer answer =
      read_run(worker.answer_to(order.json(), [&](const WorkerMessage& message) {
        if (message.kind == Kind::Part) iterations.push_back(read_run_iteration(message.json));
        if (message.kind == Kind::Doing)
          stages.push_back(message.doing + " " + std::to_string(message.solve));
      }));
  EXPECT_THAT(stages, ElementsAre("energy 0", "instantiate 0", "compile 0", "bind 0", "solve 0",
                                  "advance 0", "bind 1", "solve 1", "advance 1", "report 2"));
  EXPECT_EQ(answer.problem, "image_warping");
  EXPECT_EQ(answer.device, "interpreter");
  EXPECT_EQ(answer.precision, Precision::Double);
  EXPECT_GT(answer.num_unknowns, 0);
  EXPECT_FALSE(answer.cancelled);
  EXPECT_FALSE(answer.labels.empty());
  ASSERT_THAT(answer.solves, SizeIs(2));
  EXPECT_EQ(answer.solves[1].termination, "MaxIterations");
  EXPECT_THAT(answer.solves[1].why, HasSubstr("nIterations"));
  EXPECT_EQ(answer.final_cost, answer.solves[1].final_cost);
  EXPECT_LT(answer.solves[1].final_cost, answer.solves[1].initial_cost);

  ASSERT_THAT(iterations, SizeIs(8)) << "the start and three iterations of each solve";
  EXPECT_EQ(iterations[5].solve, 1);
  EXPECT_EQ(iterations[5].record.iteration, 1);
  EXPECT_EQ(iterations[5].record.cost, answer.solves[1].iterations[1].cost);
  EXPECT_EQ(iterations[5].record.linear_iterations,
            answer.solves[1].iterations[1].linear_iterations);
  EXPECT_GT(iterations[5].record.radius, 0);

  std::vector<std::string> units;
  for (const Metric& metric : answer.metrics) units.push_back(metric.unit);
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
                   .schedule = "default",
                   .folder = (folder.path() / problem).string()};
    order.target.options.set(option, value);
    order.target.solver_options = {{"nIterations", "1"}};
    std::vector<WrittenFile::Kind> kinds;
    for (const WrittenFile& file : read_run(worker.answer_to(order.json())).files)
      kinds.push_back(file.kind);
    return kinds;
  };
  using enum WrittenFile::Kind;
  EXPECT_THAT(kinds_of("cotangent_mesh_smoothing", "around", 12), testing::Contains(Mesh));
  EXPECT_THAT(kinds_of("curve_fit", "points", 40), testing::Contains(Table));
}

TEST(WorkerRun, TakesAScheduleByNameOrAsText) {
  DrivenWorker worker;
  RunOrder order = small_warp();
  EXPECT_EQ(read_run(worker.answer_to(order.json())).schedule, "");
  order.schedule_text = "r.fit:strategy(\"[JtJ]p\")\n";
  const std::string ran = read_run(worker.answer_to(order.json())).schedule;
  EXPECT_THAT(ran, HasSubstr("[JtJ]p"));
  order.schedule_text = "r.fit:strategie(1)";
  EXPECT_THAT(worker.refusal_of(order.json()), HasSubstr("strategie"));
}

TEST(WorkerRun, IsRefusedWithTheReason) {
  DrivenWorker worker;
  RunOrder order = small_warp();
  order.target.problem = "image_wraping";
  EXPECT_THAT(worker.refusal_of(order.json()), HasSubstr("did you mean 'image_warping'?"));
  order = small_warp();
  order.schedule = "fast";
  EXPECT_THAT(worker.refusal_of(order.json()), HasSubstr("no schedule 'fast'"));
  order = small_warp();
  order.folder = "/proc/none";
  EXPECT_THAT(worker.refusal_of(order.json()), HasSubstr("/proc/none"));
  order = small_warp();
  order.target.plugin_path = {"/elsewhere"};
  EXPECT_THAT(worker.refusal_of(order.json()), HasSubstr("start another for [/elsewhere]"));
  EXPECT_EQ(read_run(worker.answer_to(small_warp().json())).solves.size(), 2u) << "and goes on";
}

TEST(WorkerRun, CancelledWhileItIteratesAnswersWithWhatWasReached) {
  const TempDir folder;
  RunOrder order = endless_warp();
  order.folder = folder.path().string();
  DrivenWorker worker;
  const std::int64_t id = worker.ask(order.json());
  int iterations = 0;
  const WorkerMessage message = worker.wait([&](const WorkerMessage& heard) {
    if (heard.kind == Kind::Part && ++iterations == 5) worker.send(cancel_line(id));
  });
  ASSERT_EQ(message.kind, Kind::Answer) << message.reason;
  const RunAnswer answer = read_run(message.json);
  EXPECT_TRUE(answer.cancelled);
  ASSERT_THAT(answer.solves, SizeIs(1));
  EXPECT_EQ(answer.solves[0].termination, "Cancelled");
  EXPECT_LT(answer.final_cost, answer.initial_cost);
  EXPECT_FALSE(answer.files.empty());
}

TEST(WorkerRun, CancelsARequestThatWaits) {
  DrivenWorker worker;
  const std::int64_t first = worker.ask(endless_warp().json());
  const std::int64_t second = worker.ask(endless_warp().json());
  const std::int64_t third = worker.ask(small_warp().json());
  worker.send(cancel_line(second));
  worker.send(cancel_line(first));
  EXPECT_EQ(worker.wait().id, first);
  const WorkerMessage waited = worker.wait();
  EXPECT_EQ(waited.id, second);
  EXPECT_EQ(waited.kind, Kind::Error);
  EXPECT_TRUE(waited.is_cancelled);
  const WorkerMessage last = worker.wait();
  EXPECT_EQ(last.id, third);
  EXPECT_EQ(last.kind, Kind::Answer);
}

TEST(WorkerRun, AnswersGarbageAndGoesOn) {
  DrivenWorker worker;
  for (const char* garbage : {"garbage", "[1]", "{}", R"({"id":"one"})", R"({"cancel":"one"})"}) {
    worker.send(garbage);
    const WorkerMessage message = worker.wait();
    EXPECT_EQ(message.kind, Kind::Error) << garbage;
    EXPECT_EQ(message.id, 0) << garbage;
    EXPECT_FALSE(message.is_cancelled);
  }
  worker.send(cancel_line(77));  // of no request: nothing to say
  EXPECT_THAT(worker.refusal_of(R"({"do":"dance"})"), HasSubstr("no problem was opened"));
  EXPECT_THAT(worker.refusal_of(R"({"do":"run"})"), HasSubstr("what is to be run"));
}

TEST(WorkerRun, TheEndOfTheInputCancelsAll) {
  const std::string request = endless_warp().json().substr(1);
  std::istringstream in("{\"id\":1," + request + "\n{\"id\":2," + request + "\n");
  std::ostringstream out;
  run_worker(in, out);
  std::vector<std::int64_t> answered;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) {
    const auto message = read_message(line);
    ASSERT_TRUE(message) << line;
    if (message->kind != Kind::Answer && message->kind != Kind::Error) continue;
    answered.push_back(message->id);
    EXPECT_TRUE(message->kind == Kind::Error ? message->is_cancelled
                                             : read_run(message->json).cancelled);
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

TEST_F(WorkerThatCompiles, IsCancelledWithItsCompilers) {
  compile_by_hanging();
  DrivenWorker worker;
  const std::int64_t id = worker.ask(order().json());
  wait_until_it_compiles();
  worker.send(cancel_line(id));
  std::vector<std::string> stages;
  const WorkerMessage message = worker.wait(
      [&](const WorkerMessage& heard) { stages.push_back(heard.doing); }, std::chrono::seconds(20));
  EXPECT_EQ(message.kind, Kind::Error);
  EXPECT_TRUE(message.is_cancelled);
  EXPECT_EQ(message.status, ResultStatus::NotRun);
  EXPECT_EQ(message.reason, "the run was cancelled before it solved anything");
  EXPECT_THAT(stages, testing::Contains("compile"));
  expect_no_compiler_runs();
}

TEST_F(WorkerThatCompiles, IsCancelledWhileItPrepares) {
  compile_by_hanging();
  DrivenWorker worker;
  worker.answer_to(R"({"do":"open","device":false,"target":)" +
                   nlohmann::json(order().target.json()).dump() + "}");
  const std::int64_t id = worker.ask(R"({"do":"prepare","schedule":""})");
  wait_until_it_compiles();
  worker.send(cancel_line(id));
  const WorkerMessage message = worker.wait({}, std::chrono::seconds(20));
  EXPECT_TRUE(message.is_cancelled);
  EXPECT_EQ(message.status, ResultStatus::NotRun) << "it is no fault of the schedule";
  expect_no_compiler_runs();
}

TEST_F(WorkerThatCompiles, FailsItsRunAloneWhenItIsKilled) {
  compile_by("kill -9 $PPID");
  const std::string open = R"({"do":"open","device":false,"target":)" +
                           nlohmann::json(small_warp().target.json()).dump() + "}";
  WorkerPool pool({THALLO_PROGRAM, "worker"}, {open}, 1);
  std::vector<WorkAnswer> answers;
  std::vector<std::string> parts;
  const auto done = [&](const WorkAnswer& answer) { answers.push_back(answer); };
  pool.submit({order().json()}, done);
  pool.submit({small_warp().json()}, done, [&](const std::string& part) { parts.push_back(part); });
  const auto ran = pool.run([] { return true; });
  ASSERT_TRUE(ran) << ran.error().message();
  ASSERT_THAT(answers, SizeIs(2));
  EXPECT_EQ(answers[0].status, ResultStatus::Crash);
  EXPECT_EQ(answers[0].why(), "the worker was ended by signal 9 (Killed) at: compile");
  EXPECT_EQ(answers[1].status, ResultStatus::Ok) << answers[1].reason;
  EXPECT_THAT(parts, SizeIs(8));
}

TEST(RunOrders, TravelAsJson) {
  RunOrder order = small_warp();
  order.folder = "somewhere";
  auto read = RunOrder::from_json(order.json());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->json(), order.json());
  EXPECT_FALSE(read->schedule_text);
  order.schedule_text = "";  // the text of the default schedule
  read = RunOrder::from_json(order.json());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->schedule_text, "");
  EXPECT_FALSE(RunOrder::from_json("{}"));
}

TEST(WorkerMessages, AreReadAsTheyAreWritten) {
  std::ostringstream out;
  MessageWriter writer(out, 7);
  writer.doing_stage("solve", 2);
  writer.doing_step("timing apply", "K");
  writer.part(R"({"a":1})");
  writer.answer(R"({"b":2})");
  writer.error(ResultStatus::OutOfMemory, "too large", true);
  std::vector<WorkerMessage> read;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) read.push_back(*read_message(line));
  ASSERT_THAT(read, SizeIs(5));
  for (const WorkerMessage& message : read) EXPECT_EQ(message.id, 7);
  EXPECT_EQ(read[0].doing, "solve");
  EXPECT_EQ(read[0].solve, 2);
  EXPECT_EQ(read[1].step, "K");
  EXPECT_EQ(read[2].kind, Kind::Part);
  EXPECT_EQ(read[2].json, R"({"a":1})");
  EXPECT_EQ(read[3].kind, Kind::Answer);
  EXPECT_EQ(read[4].status, ResultStatus::OutOfMemory);
  EXPECT_EQ(read[4].reason, "too large");
  EXPECT_TRUE(read[4].is_cancelled);
  for (const char* line : {"", "12", "[1]", "{}", R"({"id":"x"})", R"({"id":1,"doing":2})"})
    EXPECT_FALSE(read_message(line)) << line;
}

}  // namespace
}  // namespace thallo::test
