// The options of a problem or a search, as typed values. Programs make flags and fields of each
// OptionSpec. The user's options are checked and completed with defaults before a problem or search
// sees them, so these read options without checks of their own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/properties.h"

namespace thallo {

using Options = Properties;

struct OptionSpec {
  std::string name;                       // "file", "fit_weight"
  PropertyValue default_value;            // its type is the option's type
  std::string doc;                        // one sentence
  std::vector<std::string> choices = {};  // legal values of a string option; empty: any text
  std::optional<double> minimum = {};     // for int and double options
  std::optional<double> maximum = {};
  // True if a string option is the path of an input file; "" means generated input.
  bool is_file = false;

  friend bool operator==(const OptionSpec&, const OptionSpec&) = default;
};

// Returns what is legal for the option: "true|false", "low|high", "an integer from 1 to 4096".
std::string legal_values(const OptionSpec& spec);

// Converts a text to the typed value of this option: true|false|1|0|yes|no|on|off, an integer, a
// number, or the text itself. The value is checked as by complete_options().
Expected<PropertyValue> parse_option(const OptionSpec& spec, std::string_view text);

// An option as a program was given it.
struct OptionText {
  std::string_view name, text;
};
// Returns the values of options. Fails for a text that is none, and for a name without a spec: with
// the nearest name, behind "no option" or the like.
Expected<Options> read_options(std::span<const OptionSpec> specs, std::span<const OptionText> texts,
                               std::string_view unknown);

// Returns the given options, with the default of every other spec added. Fails on a name without a
// spec (with the nearest name), a wrong type, an illegal choice, or a value out of range; all
// faults are reported, one per line.
Expected<Options> complete_options(std::span<const OptionSpec> specs, const Options& given);

}  // namespace thallo
