// Checks numbers on the command line. The message says what would be legal; CLI11's own checks
// print the limits of double.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "core/base/parse_number.h"

namespace thallo::cli {

// More than any machine has. There must be a limit, because every requested thread is created.
inline constexpr std::int64_t MaxThreads = 1024;

inline constexpr std::int64_t Unlimited = std::numeric_limits<std::int64_t>::max();

// For CLI::Option::check(): returns "" for a whole number from `least` to `most`, else a message.
inline std::function<std::string(const std::string&)> count_check(std::int64_t most = Unlimited,
                                                                  std::int64_t least = 0) {
  return [most, least](const std::string& text) -> std::string {
    const auto count = parse_number<std::int64_t>(text);
    if (count && *count >= least && *count <= most) return "";
    return fmt::format("'{}' is no integer from {}{}", text, least,
                       most == Unlimited ? "" : fmt::format(" to {}", most));
  };
}

}  // namespace thallo::cli
