// The options of a problem, as typed values. The CLI makes a flag of each OptionSpec. What the user
// gave is checked and completed with the defaults before a problem sees it, so problems read their
// options without any test of their own.
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
  std::vector<std::string> choices = {};  // of a string option: the legal texts; empty: any text
  std::optional<double> minimum = {};     // of an int or double option
  std::optional<double> maximum = {};
  bool is_file = false;  // of a string option: the path of an input file; "" = generated input
};

// The typed value that `text` means for this option: true|false|1|0|yes|no|on|off, an integer, a
// number, or the text itself; checked as by complete_options().
Expected<PropertyValue> parse_option(const OptionSpec& spec, std::string_view text);

// The given options and, for every spec without one, its default. Fails on a name without spec
// (with the nearest one), a wrong type, a choice that is none, a value out of range; all faults are
// found, one a line.
Expected<Options> complete_options(std::span<const OptionSpec> specs, const Options& given);

}  // namespace thallo
