#pragma once

// Reads the requests to a worker on a thread of its own, so that a running request can be
// cancelled (CancelRequest of requests.h). The end of the input cancels all requests.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "core/explore/worker/requests.h"

namespace thallo {

struct QueuedRequest {
  std::int64_t id = 0;              // 0 if the line has no id
  Expected<WorkerRequest> request;  // or why the line is no request
  std::stop_token stop;             // requested when the request is cancelled
};

class RequestQueue {
 public:
  // Reads from `in` until it ends.
  explicit RequestQueue(std::istream& in);

  // Waits for the next request; calling it ends the previous one. Returns nothing once the input
  // has ended and all requests were handed out.
  std::optional<QueuedRequest> next();

 private:
  struct Entry {
    std::int64_t id = 0;
    Expected<WorkerRequest> request;
    std::stop_source stop;
  };
  void read(std::istream& in);
  void cancel(std::int64_t id);
  void end();

  std::mutex mutex_;  // guards the members below
  std::condition_variable has_changed_;
  std::deque<Entry> waiting_;
  std::optional<Entry> under_way_;
  bool has_ended_ = false;
  std::jthread reader_;
};

}  // namespace thallo
