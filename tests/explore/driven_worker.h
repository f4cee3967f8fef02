// A worker process as tests drive it: requests in, messages out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/explore/work/messages.h"
#include "core/explore/work/worker_process.h"

namespace thallo::test {

class DrivenWorker {
 public:
  // A worker of the program that was just built. Throws when it cannot be started.
  DrivenWorker();

  // `json` is a request without an id; returns the id.
  std::int64_t ask(const std::string& json);
  void send(const std::string& line);

  // Called for each message that is neither an answer nor an error.
  using Heard = std::function<void(const WorkerMessage& message)>;
  // The next answer or error, of whichever request. Fails the test when the worker ends, or takes
  // longer than that.
  WorkerMessage wait(const Heard& heard = {},
                     std::chrono::seconds limit = std::chrono::seconds(40));
  // The answer to a request, which is asked. Fails the test when there is an error.
  std::string answer_to(const std::string& json, const Heard& heard = {});
  // The reason why there is no answer. Fails the test when there is one.
  std::string refusal_of(const std::string& json);

 private:
  WorkerProcess process_;
  std::int64_t last_id_ = 0;
};

}  // namespace thallo::test
