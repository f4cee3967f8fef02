#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace thallo {

// Returns the number if the whole text is one number of type T; otherwise absent.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Returns what a switch is set to: true, 1, yes, on, or their opposites.
inline std::optional<bool> parse_bool(std::string_view text) {
  for (const std::string_view yes : {"true", "1", "yes", "on"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"false", "0", "no", "off"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

}  // namespace thallo
