// A worker that another process has started and relays. Here a thread stands for the other rank,
// and shell scripts for workers.
#include "core/explore/worker/remote_worker.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/processes.h"

namespace thallo {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

// Two ranks in one process.
class PairOfRanks final : public ProcessGroup {
 public:
  int rank() const override { return 0; }
  int size() const override { return 2; }
  Expected<int> connect(int) override {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return fail("no socket");
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(ends[1]);
    changed_.notify_all();
    return ends[0];
  }
  std::optional<int> accept() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return has_left_ || !waiting_.empty(); });
    if (waiting_.empty()) return {};
    const int socket = waiting_.front();
    waiting_.pop_front();
    return socket;
  }
  void leave() {
    const std::scoped_lock lock(mutex_);
    has_left_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> waiting_;
  bool has_left_ = false;
};

// What a script says first: its process.
const std::string SaysItsProcess =
    R"(echo "{\"id\":$id,\"doing\":{\"what\":\"$$\",\"step\":\"\",\"solve\":0}}"; )";

class RemoteWorkers : public testing::Test {
 protected:
  ~RemoteWorkers() override {
    client.end();
    ranks.leave();
  }
  // The other rank starts workers that carry out `answer` for each line; $id is its id.
  void serve(const std::string& answer) {
    other_ = std::jthread([this, answer] {
      serve_workers(ranks,
                    {"/bin/sh", "-c",
                     "while read line; do id=${line#*:}; id=${id%%,*}; " + answer + "; done"});
    });
  }
  void begin() {
    client.begin({.request = PrepareRequest{"a"},
                  .timeout = milliseconds(5000),
                  .heard = [this](const WorkerMessage& its) { heard.push_back(its.doing.what); },
                  .done = [this](const WorkAnswer& answer) { answers.push_back(answer); }});
  }
  void wait(const std::function<bool()>& is_done) {
    while (!is_done()) {
      std::vector<pollfd> outputs;
      for (const int output : client.outputs()) outputs.push_back({output, POLLIN, 0});
      poll(outputs.data(), outputs.size(), 10);
      client.take();
      client.check();
    }
  }
  void run() {
    wait([this] { return !client.is_busy(); });
  }

  PairOfRanks ranks;
  WorkerClient client{start_at(ranks, 1)};
  std::vector<WorkAnswer> answers;
  std::vector<std::string> heard;

 private:
  std::jthread other_;
};

TEST_F(RemoteWorkers, AnswerOverTheConnection) {
  serve(SaysItsProcess + R"(echo "{\"id\":$id,\"answer\":{}}")");
  for (int i = 0; i < 2; ++i) {
    begin();
    run();
  }
  ASSERT_EQ(answers.size(), 2u);
  for (const WorkAnswer& answer : answers) EXPECT_TRUE(answer.is_ok()) << answer.why();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0], heard[1]) << "one worker for both";
}

TEST_F(RemoteWorkers, AreReplacedWhenASignalEndsThem) {
  serve(SaysItsProcess + "kill -SEGV $$");
  for (int i = 0; i < 2; ++i) {
    begin();
    run();
  }
  ASSERT_EQ(answers.size(), 2u);
  for (const WorkAnswer& answer : answers) {
    EXPECT_TRUE(answer.has_died);
    EXPECT_THAT(answer.why(),
                StartsWith("the worker was ended by signal 11 (Segmentation fault) at: "));
  }
  EXPECT_NE(heard.at(0), heard.at(1));
}

TEST_F(RemoteWorkers, SayWhyTheyCannotBeStarted) {
  std::jthread other([this] { serve_workers(ranks, {"/nowhere/thallo"}); });
  begin();
  run();
  ranks.leave();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].has_died);
  EXPECT_THAT(answers[0].why(), StartsWith("the worker could not be started on "));
  EXPECT_THAT(answers[0].why(), HasSubstr("/nowhere/thallo cannot be started: No such file"));
}

TEST_F(RemoteWorkers, EndWithTheirClient) {
  serve(SaysItsProcess + "exec sleep 30");
  begin();
  wait([this] { return !heard.empty(); });
  const int worker = std::stoi(heard.front());
  EXPECT_TRUE(is_running(worker));
  EXPECT_EQ(client.process_id(), 0) << "it is no child of its client";
  client.end();
  while (is_running(worker)) poll(nullptr, 0, 10);
}

TEST_F(RemoteWorkers, AreLostWithTheirRank) {
  std::jthread other([this] { close(*ranks.accept()); });
  begin();
  run();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].has_died);
  EXPECT_EQ(answers[0].why(), "the worker was lost: its connection has ended");
}

}  // namespace
}  // namespace thallo
