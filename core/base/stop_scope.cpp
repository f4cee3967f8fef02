#include "core/base/stop_scope.h"

#include <utility>

namespace thallo {
namespace {

thread_local const StopScope* innermost = nullptr;

}  // namespace

StopScope::StopScope(std::stop_token stop) : stop_(std::move(stop)), outer_(innermost) {
  innermost = this;
}

StopScope::~StopScope() { innermost = outer_; }

void check_stop() {
  for (const StopScope* scope = innermost; scope != nullptr; scope = scope->outer_)
    if (scope->stop_.stop_requested()) throw Stopped();
}

}  // namespace thallo
