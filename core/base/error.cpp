#include "core/base/error.h"

#include <string_view>
#include <utility>

namespace thallo {
namespace {

std::string device_message(const std::string& call, const std::string& code,
                           const std::string& kernel) {
  if (kernel.empty()) return fmt::format("{}: {}", call, code);
  return fmt::format("{}({}): {}", call, kernel, code);
}

// The path from the repository root on, "core/ir/graph.cpp", wherever the source tree was built.
std::string_view short_path(std::string_view path) {
  for (const std::string_view root : {"/core/", "/plugins/", "/problems/", "/tests/"}) {
    if (const auto at = path.rfind(root); at != std::string_view::npos) return path.substr(at + 1);
  }
  return path;
}

}  // namespace

DeviceError::DeviceError(std::string call, std::string code, std::string kernel)
    : std::runtime_error(device_message(call, code, kernel)),
      call_(std::move(call)),
      code_(std::move(code)),
      kernel_(std::move(kernel)) {}

InternalError::InternalError(const std::string& what, const char* file, int line)
    : std::logic_error(fmt::format(
          "internal error at {}:{}: {}. This is a bug in Thallo; please report it, with the folder "
          "that THALLO_DUMP=DIR writes.",
          short_path(file), line, what)) {}

namespace detail {

void throw_internal_error(const std::string& what, const char* file, int line) {
  throw InternalError(what, file, line);
}

}  // namespace detail
}  // namespace thallo
