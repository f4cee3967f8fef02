#include "core/base/log_levels.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/log.h"
#include "core/base/suggest.h"

namespace thallo {

std::optional<std::string> find_log_level_fault(std::string_view levels) {
  std::vector<std::string> known;
  for (const LogLevel level : {LogLevel::Trace, LogLevel::Debug, LogLevel::Info, LogLevel::Warn,
                               LogLevel::Error, LogLevel::Off})
    known.emplace_back(to_string(level));
  while (!levels.empty()) {
    const std::size_t comma = std::min(levels.find(','), levels.size());
    const std::string_view part = levels.substr(0, comma);
    levels.remove_prefix(std::min(comma + 1, levels.size()));
    const std::size_t equal = part.find('=');
    const std::string level(equal == std::string_view::npos ? part : part.substr(equal + 1));
    if (equal == 0) return fmt::format("'{}' names no subsystem; write e.g. cuda=debug", part);
    if (std::ranges::find(known, level) == known.end()) {
      return fmt::format("no level '{}'{} (levels: {})", level, did_you_mean(level, known),
                         fmt::join(known, ", "));
    }
  }
  return {};
}

}  // namespace thallo
