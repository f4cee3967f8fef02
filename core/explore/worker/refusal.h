#pragma once

// The reason why a worker refuses a request. Code that carries out a request throws it; the worker
// sends it as the answer.

#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/diagnostic.h"
#include "core/explore/store/store_records.h"

namespace thallo {

struct Refusal {
  ResultStatus status = ResultStatus::NotRun;
  std::string reason;
};

template <class T>
T wanted(Expected<T> value, ResultStatus status = ResultStatus::NotRun) {
  if (!value) throw Refusal{status, value.error().message()};
  if constexpr (!std::is_void_v<T>) return *std::move(value);
}

inline void check_wanted(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Refusal{ResultStatus::NotRun, "it was cancelled"};
}

// Unwraps the result of a compilation. If it failed because it was cancelled, the refusal says so
// and does not blame the kernel.
template <class T>
T wanted_compiled(Expected<T> value, const std::stop_token& stop) {
  return wanted(std::move(value),
                stop.stop_requested() ? ResultStatus::NotRun : ResultStatus::DoesNotCompile);
}

}  // namespace thallo
