// Typed values by name, such as the arguments of a directive or the options of a problem.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

using PropertyValue = std::variant<bool, std::int64_t, double, std::string>;

// Returns "bool", "int", "double" or "string".
std::string_view type_name(const PropertyValue& value);
// Formats a value, e.g. true, 3, 0.5, text. Doubles have as many digits as are needed to read them
// back.
std::string to_string(const PropertyValue& value);

class Properties {
 public:
  Properties() = default;
  Properties(std::initializer_list<std::pair<const std::string, PropertyValue>> values);

  // Adds or replaces a value.
  void set(std::string_view name, bool value);
  void set(std::string_view name, int value);
  void set(std::string_view name, std::int64_t value);
  void set(std::string_view name, double value);
  void set(std::string_view name, std::string_view value);
  void set(std::string_view name, const char* value);
  void set(std::string_view name, PropertyValue value);

  bool has(std::string_view name) const;

  // T is bool, std::int64_t, double or std::string. An int is accepted as a double; nothing else is
  // converted. If the name is missing or the value has another type, `find` returns nothing and
  // `require` fails, naming the nearest known name or both types.
  template <class T>
  std::optional<T> find(std::string_view name) const;
  template <class T>
  Expected<T> require(std::string_view name) const;
  template <class T>
  T value_or(std::string_view name, T fallback) const {
    auto found = find<T>(name);
    return found ? *std::move(found) : std::move(fallback);
  }
  // Null if the name is missing; valid until the next change.
  const PropertyValue* find_value(std::string_view name) const;

  bool empty() const { return slots_.empty(); }
  std::size_t size() const { return slots_.size(); }
  std::vector<std::string> names() const;  // sorted

  // Returns for example "a=1, b=true, name=text".
  std::string text() const;

  friend bool operator==(const Properties&, const Properties&) = default;

 private:
  struct Slot {
    std::string name;
    PropertyValue value;

    friend bool operator==(const Slot&, const Slot&) = default;
  };
  // Sorted by name. Properties are few, and copied very often: a search holds the arguments of each
  // alternative of each site.
  std::vector<Slot> slots_;
};

}  // namespace thallo
