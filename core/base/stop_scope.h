// Lets a long computation be stopped. Its caller opens a scope with a stop token on the
// computation's thread, and the loops of the computation call check_stop(), however deeply they are
// nested.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "core/base/error.h"

namespace thallo {

// Thrown by check_stop() if the computation was told to stop before it was done. It should be
// caught where the scope was opened; a command that lets it pass ends as an interrupted one.
class Stopped : public UserError {
 public:
  Stopped() : UserError("it was told to end before it was done") {}
};

// Scopes of one thread may be nested; then each of their tokens stops the computation.
class StopScope {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point Never = Clock::time_point::max();

  // At the deadline the computation stops, too.
  explicit StopScope(std::stop_token stop, Clock::time_point deadline = Never);
  // On a thread that works for another one: stops when `of_other` does, its innermost() or nullptr,
  // which must outlive this scope.
  explicit StopScope(const StopScope* of_other);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  // Of the calling thread; nullptr if it has no scope.
  static const StopScope* innermost();
  // True if a scope of the calling thread has a requested stop or a deadline that is over. A thread
  // that waits asks this.
  static bool is_stop_requested();

 private:
  std::stop_token stop_;
  Clock::time_point deadline_ = Never;
  const StopScope* outer_;   // asked after this one
  const StopScope* before_;  // of this thread
};

// Thrown if the computation exceeded its number of steps.
class OutOfSteps : public UserError {
 public:
  OutOfSteps() : UserError("it took more steps than it may") {}
};

// Limits the steps of its thread while it is the innermost limit, and ends a computation that takes
// more. Equal computations take equally many steps on all machines. The exception should be caught
// outside of the limit.
class StepLimit {
 public:
  explicit StepLimit(std::int64_t most);
  ~StepLimit();
  StepLimit(const StepLimit&) = delete;
  StepLimit& operator=(const StepLimit&) = delete;

  std::int64_t steps() const { return steps_; }

 private:
  friend void check_stop(std::size_t steps);
  std::int64_t most_;
  std::int64_t steps_ = 0;
  StepLimit* outer_;
};

// Counts steps of a computation. Throws Stopped if a scope of this thread stops it, and OutOfSteps
// if the limit is exceeded. Takes some nanoseconds.
void check_stop(std::size_t steps = 1);

}  // namespace thallo
