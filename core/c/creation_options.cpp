#include "core/c/creation_options.h"

#include <string>

namespace thallo::c_api {
namespace {

constexpr std::string_view Auto = "auto";

std::vector<OptionSpec> option_specs() {
  std::vector<std::string> backends = backend_names();
  backends.insert(backends.begin(), std::string(Auto));
  std::vector<std::string> precisions = {std::string(Auto)};
  for (const Precision precision : AllPrecisions) precisions.emplace_back(to_string(precision));
  const EnergySolverOptions defaults;
  return {
      {.name = "backend", .default_value = defaults.backend, .choices = backends},
      {.name = "device", .default_value = std::int64_t{0}, .minimum = 0, .maximum = 1e6},
      {.name = "precision", .default_value = std::string(Auto), .choices = precisions},
      {.name = "schedule", .default_value = defaults.schedule},
      {.name = "schedule_text", .default_value = std::string()},
      {.name = "threads", .default_value = std::int64_t{0}, .minimum = 0, .maximum = 1024},
      {.name = "memory_limit", .default_value = defaults.memory_limit, .minimum = 0},
  };
}

}  // namespace

std::vector<OptionText> option_texts(const thallo_option* options, std::size_t count) {
  std::vector<OptionText> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back({options[i].name, options[i].value});
  return texts;
}

Expected<EnergySolverOptions> creation_options(const thallo_option* options, std::size_t count) {
  THALLO_TRY(const auto given, read_options(option_specs(), option_texts(options, count),
                                            "a solver is created with no option"));
  EnergySolverOptions result;
  result.backend = given.value_or("backend", result.backend);
  result.device = static_cast<int>(given.value_or<std::int64_t>("device", 0));
  for (const Precision precision : AllPrecisions) {
    if (given.find<std::string>("precision") == to_string(precision)) result.precision = precision;
  }
  result.schedule = given.value_or("schedule", result.schedule);
  result.schedule_text = given.find<std::string>("schedule_text");
  result.num_threads = static_cast<int>(given.value_or<std::int64_t>("threads", 0));
  result.memory_limit = given.value_or("memory_limit", result.memory_limit);
  return result;
}

}  // namespace thallo::c_api
