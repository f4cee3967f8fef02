#include "core/cli/flags/search_options.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/cli/output/table.h"

namespace thallo::cli {

Options read_search_options(const Search& search, const std::vector<std::string>& settings) {
  const std::vector<OptionSpec> specs = search.options();
  Options options;
  const std::string hint =
      fmt::format("as `thallo explore --help-search {}` lists them", search.name());
  for (const auto& [name, text] : parse_pairs("--search-set", settings, hint)) {
    const auto spec = std::ranges::find(specs, name, &OptionSpec::name);
    if (spec == specs.end()) {
      options.set(name, std::string_view(text));
      continue;
    }
    auto value = parse_option(*spec, text);
    if (!value)
      throw UserError(fmt::format("--search-set {}={}: {}", name, text, value.error().message()));
    options.set(name, *std::move(value));
  }
  return options;
}

std::string search_options_text(const Search& search) {
  std::string text = fmt::format("{}: {}\n", search.name(), search.doc());
  const std::vector<OptionSpec> specs = search.options();
  if (specs.empty()) return text + "\nIt has no options.\n";
  text += "\nIts options, which --search-set NAME=VALUE sets:\n\n";
  Table table({left("option"), left("legal"), left("default"), left("meaning")});
  for (const OptionSpec& spec : specs)
    table.add({spec.name, legal_values(spec), to_string(spec.default_value), spec.doc});
  return text + table.text(2);
}

}  // namespace thallo::cli
