#include "core/base/stop_scope.h"

#include <utility>

namespace thallo {
namespace {

thread_local const StopScope* innermost = nullptr;
thread_local StepLimit* limit = nullptr;

}  // namespace

StopScope::StopScope(std::stop_token stop) : stop_(std::move(stop)), outer_(innermost) {
  innermost = this;
}

StopScope::~StopScope() { innermost = outer_; }

StepLimit::StepLimit(std::int64_t most) : most_(most), outer_(limit) { limit = this; }

StepLimit::~StepLimit() { limit = outer_; }

void check_stop() {
  if (limit != nullptr && ++limit->steps_ > limit->most_) throw OutOfSteps();
  for (const StopScope* scope = innermost; scope != nullptr; scope = scope->outer_)
    if (scope->stop_.stop_requested()) throw Stopped();
}

}  // namespace thallo
