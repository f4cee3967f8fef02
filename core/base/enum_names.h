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
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/diagnostic.h"

namespace thallo {

struct EnumNames {
  const char* what = "";  // in a message
  std::initializer_list<std::string_view> names = {};
};
template <class Enum>
inline constexpr EnumNames enum_names = {};

template <class Enum>
concept HasNames = std::is_enum_v<Enum> && enum_names<Enum>
.names.size() > 0;

template <HasNames Enum>
std::string_view to_string(Enum value) {
  return enum_names<Enum>.names.begin()[static_cast<std::size_t>(value)];
}

// All values, in their order.
template <HasNames Enum>
constexpr auto all_values() {
  std::array<Enum, enum_names<Enum>.names.size()> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Enum>(i);
  return values;
}

// Fails for other texts, with all names.
template <HasNames Enum>
Expected<Enum> parse_as(std::string_view text, Enum /*type*/) {
  const auto& [what, names] = enum_names<Enum>;
  const auto* const found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  return fail(Diagnostic{"there is no " + std::string(what) + " '" + std::string(text) + "'",
                         {},
                         {names.begin(), names.end()}});
}

}  // namespace thallo
