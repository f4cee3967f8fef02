#include "tests/explore/driven_worker.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <stdexcept>

namespace thallo::test {
namespace {

WorkerProcess start() {
  auto process = WorkerProcess::start({THALLO_PROGRAM, "worker"});
  if (!process) throw std::runtime_error(process.error().message());
  return *std::move(process);
}

}  // namespace

DrivenWorker::DrivenWorker() : process_(start()) {}

void DrivenWorker::send(const std::string& line) {
  EXPECT_TRUE(process_.send(line)) << "the worker does not take: " << line;
}

std::int64_t DrivenWorker::ask(const WorkerRequest& request) {
  send(request_line(++last_id_, request));
  return last_id_;
}

WorkerMessage DrivenWorker::wait(const Heard& heard, std::chrono::seconds limit) {
  using Kind = WorkerMessage::Kind;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < deadline) {
    pollfd output = {process_.outputs().front(), POLLIN, 0};
    poll(&output, 1, 100);
    while (const auto line = process_.receive()) {
      const auto message = read_message(*line);
      if (!message) {
        ADD_FAILURE() << "no message: " << *line;
        continue;
      }
      if (message->kind == Kind::Answer || message->kind == Kind::Error) return *message;
      if (heard) heard(*message);
    }
    if (const auto how = process_.find_end()) {
      ADD_FAILURE() << "the worker " << *how;
      return {};
    }
  }
  ADD_FAILURE() << "no answer in " << limit.count() << " s";
  return {};
}

WorkerMessage DrivenWorker::answered(const WorkerRequest& request, const Heard& heard) {
  const std::int64_t id = ask(request);
  const WorkerMessage message = wait(heard);
  EXPECT_EQ(message.id, id);
  EXPECT_EQ(message.kind, WorkerMessage::Kind::Answer) << message.fault.reason;
  return message;
}

std::string DrivenWorker::refusal_of(const WorkerRequest& request) {
  const std::int64_t id = ask(request);
  const WorkerMessage message = wait();
  EXPECT_EQ(message.id, id);
  EXPECT_EQ(message.kind, WorkerMessage::Kind::Error) << message.json;
  return message.fault.reason;
}

}  // namespace thallo::test
