// Converts structs to JSON and back by the fields that they declare (fields.h).
//
// Fields are texts, numbers, bool, enumerations, ids (null if invalid), structs with such a
// declaration, and optionals, arrays, vectors, pairs and maps of these. An enumeration is a text if
// there is a function parse_as(text, Enumeration()), else an integer. Only sources include this
// header, because JSON is slow to compile.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/diagnostic.h"
#include "core/base/fields.h"
#include "core/base/id.h"
#include "core/base/properties.h"
#include "core/base/suggest.h"
#include "core/base/utf8.h"

namespace thallo {

// How values are written that JSON lacks. Exact: numbers that are not finite as "inf", "-inf" and
// "nan", and texts that are no UTF-8 as arrays of their bytes; both are read back. Plain, for those
// who only read: the numbers as null, the texts as they are, an enumeration as to_string() says,
// and the name of a count without its num_.
enum class Fidelity { Exact, Plain };

// A field that is an object of JSON: fields("labels", AsObject{r.labels}).
template <class T>
struct AsObject {
  using Value = T;
  std::vector<std::pair<std::string, T>>& entries;
};

namespace json_fields {

using Json = nlohmann::ordered_json;

template <class T, template <class...> class Template>
inline constexpr bool is_a = false;
template <template <class...> class Template, class... Ts>
inline constexpr bool is_a<Template<Ts...>, Template> = true;

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;

template <class T>
concept HasText = requires(T value) {
  to_string(value);
};
template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) {
  parse_as(std::string_view(), value);
};

template <class T>
Json write(const T& value, Fidelity as) {
  if constexpr (std::is_same_v<T, Json>) {
    return value;
  } else if constexpr (std::is_same_v<T, double>) {
    if (std::isfinite(value)) return value;
    return as == Fidelity::Plain ? Json() : Json(fmt::format("{}", value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (as == Fidelity::Plain || is_utf8(value)) return value;
    return std::vector<std::uint8_t>(value.begin(), value.end());
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    return std::string(std::string_view(value));
  } else if constexpr (NamedEnum<T>) {
    return std::string(to_string(value));
  } else if constexpr (std::is_enum_v<T>) {
    if constexpr (HasText<T>)
      if (as == Fidelity::Plain) return std::string(to_string(value));
    return static_cast<int>(value);
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return write(value.string(), as);
  } else if constexpr (is_a<T, std::optional>) {
    return value ? write(*value, as) : Json();
  } else if constexpr (is_a<T, std::variant>) {
    return std::visit([as](const auto& its) { return write(its, as); }, value);
  } else if constexpr (is_a<T, std::pair>) {
    return Json::array({write(value.first, as), write(value.second, as)});
  } else if constexpr (is_a<T, Id>) {
    return value.valid() ? Json(value.index()) : Json();
  } else if constexpr (is_a<T, std::vector> || is_array<T>) {
    Json json = Json::array();
    for (const auto& element : value) json.push_back(write(element, as));
    return json;
  } else {
    Json json = Json::object();
    if constexpr (is_a<T, std::map>) {
      for (const auto& [name, its] : value) json[name] = write(its, as);
    } else if constexpr (is_a<T, AsObject>) {
      for (const auto& [name, its] : value.entries) json[name] = write(its, as);
    } else if constexpr (std::is_same_v<T, Properties>) {
      for (const std::string& name : value.names()) json[name] = write(*value.find_value(name), as);
    } else {
      // visit_fields() takes structs that can be changed, because it also reads them.
      visit_fields(const_cast<T&>(value), [&](const char* name, const auto& field) {
        const std::string_view key = name;
        const bool is_count = as == Fidelity::Plain && key.starts_with("num_");
        json[std::string(is_count ? key.substr(4) : key)] = write(field, as);
      });
    }
    return json;
  }
}

template <class T>
Json plain(const T& value) {
  return write(value, Fidelity::Plain);
}

template <class T>
std::string read(const Json& json, T& value);

// Makes the alternative of a variant that has the index.
template <class Variant, std::size_t I = 0>
Variant make_alternative(std::size_t index) {
  if constexpr (I + 1 < std::variant_size_v<Variant>) {
    if (index != I) return make_alternative<Variant, I + 1>(index);
  }
  return Variant(std::in_place_index<I>);
}

// Reads the fields of a JSON object into the members of a struct. Keeps the first fault.
class FieldReader {
 public:
  explicit FieldReader(const Json& json) : json_(json) {}

  template <class T>
  void operator()(const char* name, T&& value) {
    known_.emplace_back(name);
    const auto it = json_.find(name);
    if (it == json_.end()) return set_fault(fmt::format("'{}' is missing", name));
    if (const auto fault = read(*it, value); !fault.empty())
      set_fault(fmt::format("'{}' {}", name, fault));
  }

  void allow(const char* name) { known_.emplace_back(name); }

  // Returns "" if every field was read and there are no others.
  std::string take_fault() {
    for (const auto& [name, value] : json_.items()) {
      if (std::ranges::find(known_, name) == known_.end())
        set_fault(fmt::format("there is no field '{}'{}", name, did_you_mean(name, known_)));
    }
    return std::move(fault_);
  }

 private:
  void set_fault(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }

  const Json& json_;
  std::vector<std::string> known_;
  std::string fault_;
};

inline std::string read_number(const Json& json, double& value) {
  constexpr double Infinity = std::numeric_limits<double>::infinity();
  if (json.is_number()) {
    value = json.get<double>();
  } else if (json == "inf" || json == "-inf") {
    value = json == "inf" ? Infinity : -Infinity;
  } else if (json == "nan" || json == "-nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    return "is no number";
  }
  return "";
}

inline std::string read_text(const Json& json, std::string& text) {
  if (json.is_string()) {
    text = json.get<std::string>();
    return "";
  }
  const auto is_byte = [](const Json& byte) {
    return byte.is_number_unsigned() && byte.get<std::uint64_t>() < 256;
  };
  if (!json.is_array() || !std::ranges::all_of(json, is_byte)) return "is no text";
  text.clear();
  for (const Json& byte : json) text += static_cast<char>(byte.get<std::uint8_t>());
  return "";
}

// Of a value that is no text.
inline PropertyValue property_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return json.get<double>();
}

// Returns "", or what is wrong with the value.
template <class T>
std::string read(const Json& json, T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return read_number(json, value);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) return "is neither true nor false";
    value = json.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    if (!json.is_number_integer()) return "is no integer";
    value = json.get<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return read_text(json, value);
  } else if constexpr (NamedEnum<T>) {
    if (!json.is_string()) return "is no text";
    const auto parsed = parse_as(json.get<std::string>(), value);
    if (!parsed) return "is illegal: " + parsed.error().message();
    value = *parsed;
  } else if constexpr (std::is_enum_v<T>) {
    if (!json.is_number_integer()) return "is no integer";
    value = static_cast<T>(json.get<int>());
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    std::string path;
    const std::string fault = read_text(json, path);
    value = std::move(path);
    return fault;
  } else if constexpr (is_a<T, std::optional>) {
    value.reset();
    return json.is_null() ? "" : read(json, value.emplace());
  } else if constexpr (is_a<T, std::pair>) {
    if (!json.is_array() || json.size() != 2) return "is no pair";
    const std::string fault = read(json[0], value.first);
    return fault.empty() ? read(json[1], value.second) : fault;
  } else if constexpr (is_a<T, Id>) {
    if (!json.is_null() && !json.is_number_unsigned()) return "is neither an index nor null";
    value = json.is_null() ? T() : T(json.get<std::uint32_t>());
  } else if constexpr (is_array<T>) {
    if (!json.is_array() || json.size() != value.size())
      return fmt::format("is no array of {}", value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (const std::string fault = read(json[i], value[i]); !fault.empty())
        return fmt::format("has an element that {}", fault);
    }
  } else if constexpr (is_a<T, std::vector>) {
    if (!json.is_array()) return "is no array";
    value.clear();
    for (const Json& element : json) {
      if (const std::string fault = read(element, value.emplace_back()); !fault.empty())
        return fmt::format("has an element that {}", fault);
    }
  } else {
    if (!json.is_object()) return "is no object";
    const auto read_entry = [&](const std::string& name, const Json& its, auto& entry) {
      const std::string fault = read(its, entry);
      return fault.empty() ? "" : fmt::format("has '{}', which {}", name, fault);
    };
    if constexpr (is_a<T, std::map>) {
      for (const auto& [name, its] : json.items()) {
        if (const auto fault = read_entry(name, its, value[name]); !fault.empty()) return fault;
      }
    } else if constexpr (is_a<T, AsObject>) {
      for (const auto& [name, its] : json.items()) {
        auto& entry = value.entries.emplace_back(name, typename T::Value());
        if (const auto fault = read_entry(name, its, entry.second); !fault.empty()) return fault;
      }
    } else if constexpr (std::is_same_v<T, Properties>) {
      for (const auto& [name, its] : json.items()) {
        std::string text;
        if (read_text(its, text).empty()) {
          value.set(name, std::string_view(text));
        } else if (its.is_primitive() && !its.is_null()) {
          value.set(name, property_of(its));
        } else {
          return fmt::format("has '{}', no value", name);
        }
      }
    } else {
      FieldReader reader(json);
      visit_fields(value, reader);
      const std::string fault = reader.take_fault();
      return fault.empty() ? "" : fmt::format("is refused: {}", fault);
    }
  }
  return "";
}

}  // namespace json_fields
}  // namespace thallo
