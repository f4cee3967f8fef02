#include "core/base/properties.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "core/base/suggest.h"

namespace thallo {
namespace {

template <class T>
constexpr std::string_view name_of_type() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, std::int64_t>) return "int";
  if constexpr (std::is_same_v<T, double>) return "double";
  if constexpr (std::is_same_v<T, std::string>) return "string";
}

template <class T>
std::optional<T> convert(const PropertyValue& value) {
  if (const T* exact = std::get_if<T>(&value)) return *exact;
  if constexpr (std::is_same_v<T, double>) {
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      return static_cast<double>(*integer);
  }
  return std::nullopt;
}

}  // namespace

std::string_view type_name(const PropertyValue& value) {
  return std::visit([](const auto& v) { return name_of_type<std::decay_t<decltype(v)>>(); }, value);
}

std::string to_string(const PropertyValue& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

Properties::Properties(std::initializer_list<std::pair<const std::string, PropertyValue>> values) {
  for (const auto& [name, value] : values) set(name, value);
}

void Properties::set(std::string_view name, PropertyValue value) {
  const auto at = std::ranges::lower_bound(slots_, name, {}, &Slot::name);
  if (at != slots_.end() && at->name == name)
    at->value = std::move(value);
  else
    slots_.insert(at, {std::string(name), std::move(value)});
}
void Properties::set(std::string_view name, bool value) { set(name, PropertyValue(value)); }
void Properties::set(std::string_view name, int value) { set(name, std::int64_t{value}); }
void Properties::set(std::string_view name, std::int64_t value) { set(name, PropertyValue(value)); }
void Properties::set(std::string_view name, double value) { set(name, PropertyValue(value)); }
void Properties::set(std::string_view name, std::string_view value) {
  set(name, PropertyValue(std::string(value)));
}
void Properties::set(std::string_view name, const char* value) {
  set(name, std::string_view(value));
}

const PropertyValue* Properties::find_value(std::string_view name) const {
  const auto at = std::ranges::lower_bound(slots_, name, {}, &Slot::name);
  return at == slots_.end() || at->name != name ? nullptr : &at->value;
}

bool Properties::has(std::string_view name) const { return find_value(name) != nullptr; }

template <class T>
std::optional<T> Properties::find(std::string_view name) const {
  const PropertyValue* value = find_value(name);
  return value ? convert<T>(*value) : std::nullopt;
}

template <class T>
Expected<T> Properties::require(std::string_view name) const {
  const PropertyValue* value = find_value(name);
  if (!value) {
    const auto known = names();
    return fail("'{}' is missing{}", name, did_you_mean(name, known));
  }
  if (auto converted = convert<T>(*value)) return *std::move(converted);
  return fail("'{}' is {} ({}), but a {} is wanted", name, to_string(*value), type_name(*value),
              name_of_type<T>());
}

template std::optional<bool> Properties::find(std::string_view) const;
template std::optional<std::int64_t> Properties::find(std::string_view) const;
template std::optional<double> Properties::find(std::string_view) const;
template std::optional<std::string> Properties::find(std::string_view) const;
template Expected<bool> Properties::require(std::string_view) const;
template Expected<std::int64_t> Properties::require(std::string_view) const;
template Expected<double> Properties::require(std::string_view) const;
template Expected<std::string> Properties::require(std::string_view) const;

std::vector<std::string> Properties::names() const {
  std::vector<std::string> result;
  for (const Slot& slot : slots_) result.push_back(slot.name);
  return result;
}

std::string Properties::text() const {
  std::string text;
  for (const Slot& slot : slots_) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{}={}", slot.name, to_string(slot.value));
  }
  return text;
}

}  // namespace thallo
