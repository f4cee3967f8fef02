#include "core/c/creation_options.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/base/suggest.h"

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
      {.name = "backend", .default_value = defaults.backend, .doc = {}, .choices = backends},
      {.name = "device", .default_value = std::int64_t{0}, .doc = {}, .minimum = 0, .maximum = 1e6},
      {.name = "precision", .default_value = std::string(Auto), .doc = {}, .choices = precisions},
      {.name = "schedule", .default_value = defaults.schedule, .doc = {}},
      {.name = "schedule_text", .default_value = std::string(), .doc = {}},
      {.name = "threads",
       .default_value = std::int64_t{0},
       .doc = {},
       .minimum = 0,
       .maximum = 1024},
      {.name = "memory_limit", .default_value = defaults.memory_limit, .doc = {}, .minimum = 0},
  };
}

// The values of the options that were given.
Expected<Options> read_options(const thallo_option* options, std::size_t count) {
  const std::vector<OptionSpec> specs = option_specs();
  Options given;
  for (std::size_t i = 0; i < count; ++i) {
    const auto spec = std::ranges::find(specs, options[i].name, &OptionSpec::name);
    if (spec == specs.end()) {
      std::vector<std::string> names;
      for (const OptionSpec& each : specs) names.push_back(each.name);
      return fail({fmt::format("a solver is created with no option '{}'{}", options[i].name,
                               did_you_mean(options[i].name, names)),
                   {},
                   names});
    }
    auto value = parse_option(*spec, options[i].value);
    if (!value) return fail(value.error());
    given.set(options[i].name, *std::move(value));
  }
  return given;
}

}  // namespace

Expected<EnergySolverOptions> creation_options(const thallo_option* options, std::size_t count) {
  const auto given = read_options(options, count);
  if (!given) return fail(given.error());
  EnergySolverOptions result;
  result.backend = given->value_or("backend", result.backend);
  result.device = static_cast<int>(given->value_or<std::int64_t>("device", 0));
  for (const Precision precision : AllPrecisions) {
    if (given->find<std::string>("precision") == to_string(precision)) result.precision = precision;
  }
  result.schedule = given->value_or("schedule", result.schedule);
  result.schedule_text = given->find<std::string>("schedule_text");
  result.num_threads = static_cast<int>(given->value_or<std::int64_t>("threads", 0));
  result.memory_limit = given->value_or("memory_limit", result.memory_limit);
  return result;
}

}  // namespace thallo::c_api
