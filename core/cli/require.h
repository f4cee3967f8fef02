// Commands report a fault to main() as an exception, while the functions that they call return it:
// require() turns the one into the other.
#pragma once

#include <type_traits>
#include <utility>

#include "core/base/error.h"

namespace thallo::cli {

// The value, or the fault of the request as a UserError.
template <class T>
T require(Expected<T> value) {
  if (!value) throw UserError(value.error());
  if constexpr (!std::is_void_v<T>) return *std::move(value);
}

inline void require(const Expected<void>& done) {
  if (!done) throw UserError(done.error());
}

}  // namespace thallo::cli
