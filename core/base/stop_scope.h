// How a long computation is told to end: by the stop of its thread. Whoever starts it opens a scope
// with the token; the loops of the computation call check_stop(), however deep they are.
#pragma once

#include <cstdint>
#include <stop_token>

#include "core/base/error.h"

namespace thallo {

// The computation was told to end before it was done. Thrown by check_stop(), and to be caught
// where the scope was opened; a command that lets it pass ends as one that was interrupted.
class Stopped : public UserError {
 public:
  Stopped() : UserError("it was told to end before it was done") {}
};

// Scopes of one thread may be nested: then each of their tokens ends what is computed.
class StopScope {
 public:
  explicit StopScope(std::stop_token stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  friend void check_stop();
  std::stop_token stop_;
  const StopScope* outer_;
};

// The computation took more steps than it may.
class OutOfSteps : public UserError {
 public:
  OutOfSteps() : UserError("it took more steps than it may") {}
};

// Counts the steps that its thread computes while it is the innermost, and ends what takes more of
// them. Equal computations take equally many, whatever the machine. To be caught around the limit.
class StepLimit {
 public:
  explicit StepLimit(std::int64_t most);
  ~StepLimit();
  StepLimit(const StepLimit&) = delete;
  StepLimit& operator=(const StepLimit&) = delete;

  std::int64_t steps() const { return steps_; }

 private:
  friend void check_stop();
  std::int64_t most_;
  std::int64_t steps_ = 0;
  StepLimit* outer_;
};

// A step of a computation. Throws Stopped if a stop is requested of a scope of this thread, and
// OutOfSteps if it is one more than may be. It takes some nanoseconds.
void check_stop();

}  // namespace thallo
