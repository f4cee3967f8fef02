// One worker that is a shell script, as an event loop uses it.
#include "core/explore/worker/worker_client.h"

#include <gmock/gmock.h>
#include <poll.h>

#include <csignal>
#include <string>
#include <vector>

#include "tests/support/processes.h"

namespace thallo {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// `answer` is carried out for each line; $id is its id, and $line the line.
std::vector<std::string> script_that(const std::string& answer) {
  return {"/bin/sh", "-c", "while read line; do id=${line#*:}; id=${id%%,*}; " + answer + "; done"};
}
const std::string Answers = R"(echo "{\"id\":$id,\"answer\":{}}")";

class WorkerClientTest : public testing::Test {
 protected:
  void begin(WorkerClient& client, milliseconds timeout = milliseconds(5000)) {
    client.begin({.request = PrepareRequest{"a"},
                  .timeout = timeout,
                  .done = [this](const WorkAnswer& answer) { answers.push_back(answer); }});
  }
  static void run(WorkerClient& client) {
    while (client.is_busy()) {
      std::vector<pollfd> outputs;
      for (const int output : client.outputs()) outputs.push_back({output, POLLIN, 0});
      poll(outputs.data(), outputs.size(), 10);
      client.take();
      client.check();
    }
  }

  std::vector<WorkAnswer> answers;
};

TEST_F(WorkerClientTest, StartsAWorkerWhenItIsNeededAndAnotherWhenThatDied) {
  WorkerClient client(script_that(Answers), {});
  EXPECT_EQ(client.process_id(), 0);
  begin(client);
  run(client);
  const int first = client.process_id();
  EXPECT_GT(first, 0);
  begin(client);
  run(client);
  EXPECT_EQ(client.process_id(), first);
  kill(first, SIGKILL);
  while (is_running(first)) poll(nullptr, 0, 10);
  begin(client);
  run(client);
  EXPECT_NE(client.process_id(), first);
  ASSERT_EQ(answers.size(), 3u);
  for (const WorkAnswer& answer : answers) EXPECT_TRUE(answer.is_ok()) << answer.why();
}

TEST_F(WorkerClientTest, CallsBackLaterWhenNothingCanBeStarted) {
  WorkerClient client({"/nowhere/thallo", "worker"}, {});
  begin(client);
  EXPECT_TRUE(answers.empty());
  run(client);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].has_died);
  EXPECT_THAT(answers[0].why(), HasSubstr("/nowhere/thallo cannot be started"));
}

TEST_F(WorkerClientTest, EndsAWorkerThatDoesNotCancel) {
  WorkerClient client(script_that("true"), {.waits_for_end = false});
  begin(client);
  client.cancel(milliseconds(50));
  run(client);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].is_cancelled);
  EXPECT_EQ(answers[0].why(), "cancelled");
  EXPECT_EQ(client.process_id(), 0);
}

TEST_F(WorkerClientTest, SendsNoRequestThatWasCancelledWhileTheProblemWasOpened) {
  WorkerClient client(script_that(R"(case $line in *cancel*) ;; *prepare*) exit 7;; *) )"
                                  R"(echo "{\"id\":$id,\"answer\":{}}";; esac)"),
                      {});
  client.set_opening(OpenRequest(), milliseconds(5000));
  begin(client);
  client.cancel(milliseconds(5000));
  run(client);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].is_cancelled) << answers[0].why();
  EXPECT_TRUE(client.is_open());
}

TEST_F(WorkerClientTest, SaysThatAWorkerWasSilent) {
  WorkerClient client(script_that("exec sleep 30"), {.waits_for_end = false});
  begin(client, milliseconds(200));
  run(client);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].status, ResultStatus::Timeout);
  EXPECT_EQ(answers[0].why(), "the worker said nothing for 0.2 s and was ended");
}

TEST_F(WorkerClientTest, SaysHowAWorkerEndedAlsoWithoutWaitingForIt) {
  WorkerClient client(script_that("echo what >&2; exit 3"),
                      {.logs_errors = true, .waits_for_end = false});
  begin(client);
  run(client);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].has_died);
  EXPECT_EQ(answers[0].why(), "the worker ended with exit code 3");
}

TEST_F(WorkerClientTest, HandsBackWhatItDropped) {
  WorkerClient client(script_that("true"), {.waits_for_end = false});
  begin(client);
  const int process = client.process_id();
  const auto dropped = client.end();
  ASSERT_TRUE(dropped);
  EXPECT_FALSE(client.is_busy());
  EXPECT_TRUE(answers.empty());
  // The next one that ends takes the first one from the list of the system.
  while (is_running(process)) poll(nullptr, 0, 10);
}

}  // namespace
}  // namespace thallo
