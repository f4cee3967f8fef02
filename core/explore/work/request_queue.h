#pragma once

// The requests to a worker, read in a thread of their own, so that what is under way can be
// cancelled. A line {"cancel": ID} cancels the request of that id, whether it waits or is under
// way; one of a request that is answered already does nothing. The end of the input cancels all.

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

  // Waits for the next request; the one before is done then. Nothing when the input has ended and
  // all requests were handed out.
  std::optional<QueuedRequest> next();

 private:
  struct Entry {
    std::int64_t id = 0;  // 0: the line has none
    std::string line;
    std::stop_source stop;
  };
  void read(std::istream& in);
  void cancel(std::int64_t id);
  void end();

  std::mutex mutex_;  // of what follows
  std::condition_variable has_changed_;
  std::deque<Entry> waiting_;
  std::optional<Entry> under_way_;
  bool has_ended_ = false;
  std::jthread reader_;
};

}  // namespace thallo
