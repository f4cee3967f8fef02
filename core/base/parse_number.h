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

}  // namespace thallo
