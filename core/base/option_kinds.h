// The kinds of options that problems have, and their values. The values are read from complete
// options (complete_options), so that the default of an option stands in its spec alone.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/options.h"

namespace thallo {

struct OptionRange {
  std::optional<double> minimum = {}, maximum = {};
};

// An input file or folder; without one, input is generated.
OptionSpec file_option(std::string name, std::string doc);
// A text that is one of the choices, the first by default.
OptionSpec choice_option(std::string name, std::initializer_list<std::string_view> choices,
                         std::string doc);
OptionSpec count_option(std::string name, std::int64_t value, std::string doc,
                        OptionRange range = {});
OptionSpec number_option(std::string name, double value, std::string doc, OptionRange range = {});

bool is_set(const Options& options, std::string_view name);
double number_in(const Options& options, std::string_view name);
std::string text_in(const Options& options, std::string_view name);
template <class Integer = int>
Integer count_in(const Options& options, std::string_view name) {
  return static_cast<Integer>(options.require<std::int64_t>(name).value());
}

// Returns the name of the file that the option `file` says, without its folders; `generated` if it
// says none.
std::string input_title(const Options& options, std::string_view generated);

}  // namespace thallo
