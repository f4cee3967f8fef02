// How a long computation is told to end: by the stop of its thread. Whoever starts it opens a scope
// with the token; the loops of the computation call check_stop(), however deep they are.
#pragma once

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

// Throws Stopped if a stop is requested of a scope of this thread. It takes some nanoseconds.
void check_stop();

}  // namespace thallo
