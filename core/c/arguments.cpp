#include "core/c/arguments.h"

#include <fmt/format.h>

namespace thallo::c_api {

Fault find_null(std::initializer_list<Required> arguments) {
  for (const Required& each : arguments) {
    if (each.pointer == nullptr)
      return {THALLO_INVALID_ARGUMENT, fmt::format("argument '{}' is NULL", each.argument)};
  }
  return {};
}

}  // namespace thallo::c_api
