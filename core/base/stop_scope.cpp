#include "core/base/stop_scope.h"

#include <utility>

namespace thallo {
namespace {

thread_local const StopScope* innermost_scope = nullptr;
thread_local StepLimit* limit = nullptr;

}  // namespace

StopScope::StopScope(std::stop_token stop, Clock::time_point deadline)
    : stop_(std::move(stop)),
      deadline_(deadline),
      outer_(innermost_scope),
      before_(innermost_scope) {
  innermost_scope = this;
}

StopScope::StopScope(const StopScope* of_other) : outer_(of_other), before_(innermost_scope) {
  innermost_scope = this;
}

StopScope::~StopScope() { innermost_scope = before_; }

const StopScope* StopScope::innermost() { return innermost_scope; }

bool StopScope::is_stop_requested() {
  for (const StopScope* scope = innermost_scope; scope != nullptr; scope = scope->outer_)
    if (scope->stop_.stop_requested() ||
        (scope->deadline_ != Never && Clock::now() > scope->deadline_))
      return true;
  return false;
}

StepLimit::StepLimit(std::int64_t most) : most_(most), outer_(limit) { limit = this; }

StepLimit::~StepLimit() { limit = outer_; }

void check_stop(std::size_t steps) {
  if (limit != nullptr && (limit->steps_ += static_cast<std::int64_t>(steps)) > limit->most_)
    throw OutOfSteps();
  if (StopScope::is_stop_requested()) throw Stopped();
}

}  // namespace thallo
