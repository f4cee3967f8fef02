#include "core/cli/flags/value_option.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "core/base/parse_number.h"

namespace thallo::cli {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit Sizes[] = {{"", 1},         {"b", 1},       {"k", 0x1p10},   {"kb", 0x1p10},
                          {"kib", 0x1p10}, {"m", 0x1p20},  {"mb", 0x1p20},  {"mib", 0x1p20},
                          {"g", 0x1p30},   {"gb", 0x1p30}, {"gib", 0x1p30}, {"t", 0x1p40},
                          {"tb", 0x1p40},  {"tib", 0x1p40}};
constexpr Unit Times[] = {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};

// Parses a non-negative number and a unit, in either case, with or without a space between them.
std::optional<double> quantity_of(std::string_view text, std::span<const Unit> units) {
  const std::size_t end = std::min(text.find_last_of("0123456789.") + 1, text.size());
  const auto number = parse_number<double>(text.substr(0, end));
  std::string name;
  for (const char c : text.substr(end))
    if (c != ' ') name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto unit = std::ranges::find(units, name, &Unit::name);
  if (!number || !std::isfinite(*number) || *number < 0 || unit == units.end()) return std::nullopt;
  return *number * unit->factor;
}

}  // namespace

std::string check_count(const std::string& text, std::int64_t most, std::int64_t least) {
  const auto count = parse_number<std::int64_t>(text);
  if (count && *count >= least && *count <= most) return "";
  return fmt::format("'{}' is no integer from {}{}", text, least,
                     most == Unlimited ? "" : fmt::format(" to {}", most));
}

std::string read_size(std::string& text) {
  const auto size = quantity_of(text, Sizes);
  if (!size || *size >= 0x1p63)
    return fmt::format("'{}' is no size: write bytes, or 512KiB, 100MiB, 8GiB", text);
  text = fmt::format("{}", static_cast<std::int64_t>(*size));
  return "";
}

std::string read_time(std::string& text) {
  const auto seconds = quantity_of(text, Times);
  // A longer time is never reached, and does not fit into 64 bits of milliseconds.
  constexpr double Most = 1e12;
  if (!seconds || *seconds > Most)
    return fmt::format("'{}' is no time: write seconds, or 500ms, 90s, 10min, 2h", text);
  text = fmt::format("{}", *seconds);
  return "";
}

}  // namespace thallo::cli
