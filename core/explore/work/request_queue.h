#pragma once

// Reads the requests to a worker on a thread of its own, so that a running request can be
// cancelled. The line {"cancel": ID} cancels the request with that id, whether it is waiting or
// running; it has no effect on a request that was already answered. The end of the input cancels
// all requests.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace thallo {

struct QueuedRequest {
  std::string line;
  std::stop_token stop;  // requested when the request is cancelled
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
    std::int64_t id = 0;  // 0 if the line has no id
    std::string line;
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
