#include "core/base/options.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "core/base/parse_number.h"
#include "core/base/suggest.h"

namespace thallo {
namespace {

std::optional<PropertyValue> parse_as(const PropertyValue& type, std::string_view text) {
  const auto wrap = [](auto parsed) -> std::optional<PropertyValue> {
    if (!parsed) return std::nullopt;
    return PropertyValue(*parsed);
  };
  if (std::holds_alternative<bool>(type)) return wrap(parse_bool(text));
  if (std::holds_alternative<std::int64_t>(type)) return wrap(parse_number<std::int64_t>(text));
  if (std::holds_alternative<double>(type)) return wrap(parse_number<double>(text));
  return PropertyValue(std::string(text));
}

// Converts the value to the option's own type, or says what is wrong with it.
Expected<PropertyValue> check(const OptionSpec& spec, PropertyValue value) {
  if (std::holds_alternative<double>(spec.default_value)) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      value = static_cast<double>(*integer);
    }
  }
  if (value.index() != spec.default_value.index()) {
    return fail("option '{}' is of type {}, not {}", spec.name, type_name(spec.default_value),
                type_name(value));
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (!spec.choices.empty() && std::ranges::find(spec.choices, *text) == spec.choices.end()) {
      return fail(
          unknown_name(fmt::format("option '{}' cannot be", spec.name), *text, spec.choices));
    }
    return value;
  }
  double number = 0;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    number = *real;
  } else {
    return value;
  }
  const bool too_small = spec.minimum && !(number >= *spec.minimum);
  const bool too_large = spec.maximum && !(number <= *spec.maximum);
  if (std::isnan(number) || too_small || too_large) {
    return fail("option '{}' = {} is out of range{}{}", spec.name, to_string(value),
                spec.minimum ? fmt::format(", at least {}", *spec.minimum) : std::string(),
                spec.maximum ? fmt::format(", at most {}", *spec.maximum) : std::string());
  }
  return value;
}

// "from 1 to 4096", "from 1", or nothing.
std::string range_text(const OptionSpec& spec) {
  std::string text;
  if (spec.minimum) text += fmt::format(" from {}", *spec.minimum);
  if (spec.maximum) text += fmt::format(" {} {}", spec.minimum ? "to" : "up to", *spec.maximum);
  return text;
}

}  // namespace

std::string legal_values(const OptionSpec& spec) {
  if (std::holds_alternative<bool>(spec.default_value)) return "true|false";
  if (std::holds_alternative<std::int64_t>(spec.default_value))
    return "an integer" + range_text(spec);
  if (std::holds_alternative<double>(spec.default_value)) return "a number" + range_text(spec);
  return spec.choices.empty() ? "any text" : fmt::format("{}", fmt::join(spec.choices, "|"));
}

Expected<PropertyValue> parse_option(const OptionSpec& spec, std::string_view text) {
  const auto value = parse_as(spec.default_value, text);
  if (!value) {
    return fail("option '{}' is of type {}, and '{}' is none (legal: {})", spec.name,
                type_name(spec.default_value), text, legal_values(spec));
  }
  return check(spec, *value);
}

Expected<Options> read_options(std::span<const OptionSpec> specs, std::span<const OptionText> texts,
                               std::string_view unknown) {
  Options given;
  for (const auto& [name, text] : texts) {
    const auto spec = std::ranges::find(specs, name, &OptionSpec::name);
    if (spec == specs.end())
      return fail(unknown_name(unknown, name, names_of(specs, &OptionSpec::name)));
    THALLO_TRY(auto value, parse_option(*spec, text));
    given.set(name, std::move(value));
  }
  return given;
}

Expected<Options> complete_options(std::span<const OptionSpec> specs, const Options& given) {
  std::vector<std::string> faults;
  const std::vector<std::string> known = names_of(specs, &OptionSpec::name);
  for (const std::string& name : given.names()) {
    if (std::ranges::find(known, name) == known.end())
      faults.push_back(unknown_name("no option", name, known).message());
  }
  Options complete;
  for (const OptionSpec& spec : specs) {
    const PropertyValue* value = given.find_value(spec.name);
    auto checked = value ? check(spec, *value) : Expected<PropertyValue>(spec.default_value);
    if (checked) {
      complete.set(spec.name, *std::move(checked));
    } else {
      faults.push_back(checked.error().message());
    }
  }
  if (!faults.empty()) return fail("{}", fmt::join(faults, "\n"));
  return complete;
}

}  // namespace thallo
