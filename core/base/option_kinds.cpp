#include "core/base/option_kinds.h"

#include <filesystem>
#include <utility>

namespace thallo {

OptionSpec file_option(std::string name, std::string doc) {
  return {.name = std::move(name),
          .default_value = std::string(),
          .doc = std::move(doc),
          .is_file = true};
}

OptionSpec choice_option(std::string name, std::initializer_list<std::string_view> choices,
                         std::string doc) {
  return {.name = std::move(name),
          .default_value = std::string(*choices.begin()),
          .doc = std::move(doc),
          .choices = {choices.begin(), choices.end()}};
}

OptionSpec count_option(std::string name, std::int64_t value, std::string doc, OptionRange range) {
  return {.name = std::move(name),
          .default_value = value,
          .doc = std::move(doc),
          .minimum = range.minimum,
          .maximum = range.maximum};
}

OptionSpec number_option(std::string name, double value, std::string doc, OptionRange range) {
  OptionSpec spec = count_option(std::move(name), 0, std::move(doc), range);
  spec.default_value = value;
  return spec;
}

bool is_set(const Options& options, std::string_view name) {
  return options.require<bool>(name).value();
}

double number_in(const Options& options, std::string_view name) {
  return options.require<double>(name).value();
}

std::string text_in(const Options& options, std::string_view name) {
  return options.require<std::string>(name).value();
}

std::string input_title(const Options& options, std::string_view generated) {
  const std::string file = text_in(options, "file");
  return file.empty() ? std::string(generated) : std::filesystem::path(file).filename().string();
}

}  // namespace thallo
