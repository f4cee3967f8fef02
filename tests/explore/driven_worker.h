// A worker process as tests drive it: requests in, messages out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "core/explore/worker/messages.h"
#include "core/explore/worker/requests.h"
#include "core/explore/worker/worker_process.h"

namespace thallo::test {

class DrivenWorker {
 public:
  // A worker of the program that was just built. Throws when it cannot be started.
  DrivenWorker();

  // Returns the id.
  std::int64_t ask(const WorkerRequest& request);
  void cancel(std::int64_t id) { send(request_line(id, CancelRequest())); }
  void send(const std::string& line);

  // Called for each message that is neither an answer nor an error.
  using Heard = std::function<void(const WorkerMessage& message)>;
  // The next answer or error, of whichever request. Fails the test when the worker ends, or takes
  // longer than that.
  WorkerMessage wait(const Heard& heard = {},
                     std::chrono::seconds limit = std::chrono::seconds(40));
  // The answer to a request, which is asked. Fails the test when there is an error.
  template <class Request>
  typename Request::Answer answer_to(const Request& request, const Heard& heard = {}) {
    const WorkerMessage message = answered(request, heard);
    if (message.json.empty()) return {};
    return message.as<typename Request::Answer>();
  }
  // The reason why there is no answer. Fails the test when there is one.
  std::string refusal_of(const WorkerRequest& request);

 private:
  WorkerMessage answered(const WorkerRequest& request, const Heard& heard);

  WorkerProcess process_;
  std::int64_t last_id_ = 0;
};

}  // namespace thallo::test
