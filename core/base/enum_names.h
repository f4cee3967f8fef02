// The names of an enumeration's values, declared once beside it, for people, JSON and the tables of
// the measurement store. The values count from 0.
//
//   enum class ResultKind { Composed, EndToEnd };
//   template <>
//   inline constexpr EnumNames enum_names<ResultKind> = {"kind of results",
//                                                        {"composed", "end_to_end"}};
//
// to_string(ResultKind::EndToEnd) is "end_to_end" then, and parse_as("end_to_end", ResultKind()) is
// ResultKind::EndToEnd.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/diagnostic.h"

namespace thallo {

class EnumNames {
 public:
  constexpr EnumNames() = default;
  constexpr EnumNames(const char* what, std::initializer_list<std::string_view> names)
      : what_(what), size_(names.size()) {
    std::ranges::copy(names, names_.begin());
  }

  constexpr const char* what() const { return what_; }  // in a message
  constexpr std::span<const std::string_view> names() const { return {names_.data(), size_}; }

 private:
  const char* what_ = "";
  // Not the list itself: g++ 12 takes none for a constant in a specialized variable.
  std::array<std::string_view, 32> names_ = {};
  std::size_t size_ = 0;
};
template <class Enum>
inline constexpr EnumNames enum_names = {};

template <class Enum>
concept HasNames = std::is_enum_v<Enum> &&(!enum_names<Enum>.names().empty());

template <HasNames Enum>
std::string_view to_string(Enum value) {
  return enum_names<Enum>.names()[static_cast<std::size_t>(value)];
}

// All values, in their order.
template <HasNames Enum>
constexpr auto all_values() {
  std::array<Enum, enum_names<Enum>.names().size()> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Enum>(i);
  return values;
}

// Fails for other texts, with all names.
template <HasNames Enum>
Expected<Enum> parse_as(std::string_view text, Enum /*type*/) {
  const std::span<const std::string_view> names = enum_names<Enum>.names();
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  return fail(Diagnostic{
      "there is no " + std::string(enum_names<Enum>.what()) + " '" + std::string(text) + "'",
      {},
      {names.begin(), names.end()}});
}

}  // namespace thallo
