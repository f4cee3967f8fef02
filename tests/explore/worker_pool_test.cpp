// Pools of workers that are shell scripts, which do what no worker should.
#include "core/explore/worker/worker_pool.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>

#include <fmt/format.h>

#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre, testing::HasSubstr;

// Sets $OPENED, the answer that opens a problem.
const test::ScopedEnv Opened("OPENED", message_text(OpenedProblem()).c_str());

// `answer` is carried out for each request but the first, which opens the problem; $id is its id.
std::vector<std::string> worker_that(const std::string& answer) {
  return {"/bin/sh", "-c",
          "while read line; do id=${line#*:}; id=${id%%,*}; "
          "if [ -z \"$opened\" ]; then opened=1; echo \"{\\\"id\\\":$id,\\\"answer\\\":$OPENED}\"; "
          "continue; fi; " +
              answer + "; done"};
}

WorkerPool pool_of(const std::vector<std::string>& command, int num_workers = 1) {
  const std::vector<WorkerSeat> seats(
      static_cast<std::size_t>(num_workers),
      {[command] { return WorkerProcess::start(command); }, OpenRequest()});
  return {seats, milliseconds(5000)};
}

WorkerCall call(std::function<void(const WorkAnswer&)> done) {
  return {.request = PrepareRequest{"a schedule"},
          .timeout = milliseconds(5000),
          .step_timeout = milliseconds(300),
          .done = std::move(done)};
}

struct Outcome {
  std::optional<WorkAnswer> answer;
  std::vector<std::string> parts;
  std::string fault;  // of the pool
};

Outcome outcome_of(const std::vector<std::string>& command) {
  WorkerPool pool = pool_of(command);
  Outcome outcome;
  WorkerCall asked = call([&](const WorkAnswer& answer) { outcome.answer = answer; });
  asked.heard = [&](const WorkerMessage& message) {
    if (message.kind == WorkerMessage::Kind::Part) outcome.parts.push_back(message.json);
  };
  pool.submit(std::move(asked));
  if (const auto ran = pool.run([] { return true; }); !ran) outcome.fault = ran.error().message();
  return outcome;
}

TEST(WorkerPool, HandsOnPartsAndTheAnswerToItsRequest) {
  Outcome outcome = outcome_of(worker_that(
      R"(echo "{\"id\":$id,\"part\":1}"; echo "{\"id\":$id,\"part\":2}"; echo "{\"id\":$id,\"answer\":{}}")"));
  ASSERT_TRUE(outcome.answer);
  EXPECT_EQ(outcome.answer->status, ResultStatus::Ok);
  EXPECT_THAT(outcome.parts, ElementsAre("1", "2"));
  outcome = outcome_of(worker_that(
      R"(echo 12; echo "[1"; echo "{\"id\":77,\"answer\":{}}"; echo "{\"id\":$id,\"answer\":[\"last\"]}")"));
  ASSERT_TRUE(outcome.answer);
  EXPECT_THAT(outcome.answer->json, HasSubstr("last"));
}

TEST(WorkerPool, BlamesTheStepThatTheWorkerWasAt) {
  const std::string says =
      R"(echo "{\"id\":$id,\"doing\":{\"what\":\"timing a\",\"step\":\"K\",\"solve\":0}}"; )";
  const Outcome crashed = outcome_of(worker_that(says + "kill -SEGV $$"));
  ASSERT_TRUE(crashed.answer);
  EXPECT_EQ(crashed.answer->status, ResultStatus::Crash);
  EXPECT_EQ(crashed.answer->step, "K");
  EXPECT_EQ(crashed.answer->why(),
            "the worker was ended by signal 11 (Segmentation fault) at: timing a");

  const auto start = std::chrono::steady_clock::now();
  const Outcome hung = outcome_of(worker_that(says + "exec sleep 30"));
  ASSERT_TRUE(hung.answer);
  EXPECT_EQ(hung.answer->status, ResultStatus::Timeout);
  EXPECT_EQ(hung.answer->step, "K");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
}

TEST(WorkerPool, TakesAReportedFailureForWhatItIsAndStartsAnotherWorkerAfterACrash) {
  const Outcome outcome = outcome_of(worker_that(
      R"(echo "{\"id\":$id,\"error\":{\"reason\":\"too large\",\"status\":\"out_of_memory\",)"
      R"(\"is_cancelled\":false}}")"));
  ASSERT_TRUE(outcome.answer);
  EXPECT_EQ(outcome.answer->status, ResultStatus::OutOfMemory);
  EXPECT_EQ(outcome.answer->reason, "too large");
  WorkerPool pool = pool_of(worker_that("exit 3"), 2);
  std::vector<std::string> reasons;
  for (int i = 0; i < 4; ++i)
    pool.submit(call([&](const WorkAnswer& answer) { reasons.push_back(answer.reason); }));
  ASSERT_TRUE(pool.run([] { return true; }));
  EXPECT_THAT(reasons, testing::SizeIs(4));
  EXPECT_THAT(reasons, testing::Each("the worker ended with exit code 3"));
}

// The first one ends while it starts, as when something else kills it or its compiler.
TEST(WorkerPool, TriesAgainWhenAWorkerEndsWhileItOpensTheProblem) {
  for (const char* end :
       {"exit 9",
        R"(read line; id=${line#*:}; echo "{\"id\":${id%%,*},\"error\":{\"reason\":)"
        R"(\"cc: was ended by signal 9\",\"status\":\"crash\",\"is_cancelled\":false}}")"}) {
    const test::TempDir folder;
    const std::string file = (folder.path() / "started").string();
    std::vector<std::string> command = worker_that(R"(echo "{\"id\":$id,\"answer\":{}}")");
    command[2] =
        fmt::format("if [ ! -e {0} ]; then touch {0}; {1}; exit; fi; {2}", file, end, command[2]);
    const Outcome outcome = outcome_of(command);
    EXPECT_EQ(outcome.fault, "");
    ASSERT_TRUE(outcome.answer);
    EXPECT_EQ(outcome.answer->status, ResultStatus::Ok);
  }
}

TEST(WorkerPool, SaysWhyNoWorkerStarts) {
  EXPECT_THAT(outcome_of({"/bin/sh", "-c", "exit 9"}).fault,
              HasSubstr("ended with exit code 9 while it opened the problem"));
  EXPECT_THAT(
      outcome_of({"/bin/sh", "-c",
                  R"(read line; id=${line#*:}; echo "{\"id\":${id%%,*},\"error\":{\"reason\":)"
                  R"(\"no GPU\",\"status\":\"not_run\",\"is_cancelled\":false}}"; read x)"})
          .fault,
      HasSubstr("no GPU"));
}

}  // namespace
}  // namespace thallo
