// Functions that commands call return faults, while commands report them to main() as exceptions.
// require() converts between the two.
#pragma once

#include <type_traits>
#include <utility>

#include "core/base/error.h"

namespace thallo::cli {

// Returns the value. If there is a fault instead, throws it as a UserError.
template <class T>
T require(Expected<T> value) {
  if (!value) throw UserError(value.error());
  if constexpr (!std::is_void_v<T>) return *std::move(value);
}

inline void require(const Expected<void>& done) {
  if (!done) throw UserError(done.error());
}

}  // namespace thallo::cli
