#include "core/c/arguments.h"

#include <fmt/format.h>

namespace thallo::c_api {

Fault fault(thallo_status code, const Diagnostic& diagnostic) {
  return {code, diagnostic.message()};
}

Fault find_null(std::initializer_list<Required> arguments) {
  for (const Required& each : arguments) {
    if (each.pointer == nullptr)
      return {THALLO_INVALID_ARGUMENT, fmt::format("argument '{}' is NULL", each.argument)};
  }
  return {};
}

Fault find_null_option(const char* argument, const thallo_option* options, std::size_t count) {
  if (count == 0) return {};
  if (auto null = find_null({{argument, options}}); failed(null)) return null;
  for (std::size_t i = 0; i < count; ++i) {
    if (options[i].name == nullptr || options[i].value == nullptr) {
      return {THALLO_INVALID_ARGUMENT,
              fmt::format("{}[{}] has {} that is NULL", argument, i,
                          options[i].name == nullptr ? "a name" : "a value")};
    }
  }
  return {};
}

}  // namespace thallo::c_api
