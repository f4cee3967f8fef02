// Commands carry a fault out to main as an exception; what they call returns it.
#pragma once

#include <utility>

#include "core/base/error.h"

namespace thallo::cli {

// The value, or the fault of the request as a UserError.
template <class T>
T require(Expected<T> value) {
  if (!value) throw UserError(value.error());
  return *std::move(value);
}

}  // namespace thallo::cli
