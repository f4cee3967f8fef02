#include "core/explore/worker/request_queue.h"

#include <istream>
#include <string>
#include <utility>

namespace thallo {
RequestQueue::RequestQueue(std::istream& in) : reader_([this, &in] { read(in); }) {}

std::optional<QueuedRequest> RequestQueue::next() {
  std::unique_lock lock(mutex_);
  under_way_.reset();
  has_changed_.wait(lock, [&] { return !waiting_.empty() || has_ended_; });
  if (waiting_.empty()) return std::nullopt;
  under_way_ = std::move(waiting_.front());
  waiting_.pop_front();
  return QueuedRequest{under_way_->id, under_way_->request, under_way_->stop.get_token()};
}

void RequestQueue::read(std::istream& in) {
  for (std::string line; std::getline(in, line);) {
    std::int64_t id = 0;
    auto request = read_request(line, id);
    if (request && std::holds_alternative<CancelRequest>(*request)) {
      cancel(id);
      continue;
    }
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({.id = id, .request = std::move(request)});
    has_changed_.notify_one();
  }
  end();
}

void RequestQueue::cancel(std::int64_t id) {
  const std::scoped_lock lock(mutex_);
  if (under_way_ && under_way_->id == id) under_way_->stop.request_stop();
  for (Entry& entry : waiting_) {
    if (entry.id == id) entry.stop.request_stop();
  }
}

void RequestQueue::end() {
  const std::scoped_lock lock(mutex_);
  has_ended_ = true;
  if (under_way_) under_way_->stop.request_stop();
  for (Entry& entry : waiting_) entry.stop.request_stop();
  has_changed_.notify_one();
}

}  // namespace thallo
