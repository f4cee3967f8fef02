#include "core/explore/work/request_queue.h"

#include <istream>
#include <utility>

#include <nlohmann/json.hpp>

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

// Returns 0 if there is no such number.
std::int64_t number_of(const Json& message, const char* key) {
  if (!message.is_object()) return 0;
  const auto found = message.find(key);
  return found != message.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

}  // namespace

RequestQueue::RequestQueue(std::istream& in) : reader_([this, &in] { read(in); }) {}

std::optional<QueuedRequest> RequestQueue::next() {
  std::unique_lock lock(mutex_);
  under_way_.reset();
  has_changed_.wait(lock, [&] { return !waiting_.empty() || has_ended_; });
  if (waiting_.empty()) return std::nullopt;
  under_way_ = std::move(waiting_.front());
  waiting_.pop_front();
  return QueuedRequest{under_way_->line, under_way_->stop.get_token()};
}

void RequestQueue::read(std::istream& in) {
  for (std::string line; std::getline(in, line);) {
    const Json message = Json::parse(line, nullptr, false);
    if (const std::int64_t id = number_of(message, "cancel"); id != 0) {
      cancel(id);
      continue;
    }
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({.id = number_of(message, "id"), .line = line, .stop = {}});
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
