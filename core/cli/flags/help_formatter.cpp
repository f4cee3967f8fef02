#include "core/cli/flags/help_formatter.h"

#include <functional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/search/search.h"

namespace thallo::cli {
namespace {

void fill_in(std::string& text, std::string_view place, const std::function<std::string()>& what) {
  if (const std::size_t at = text.find(place); at != std::string::npos)
    text.replace(at, place.size(), what());
}

std::string models_text(const CostModelRegistry& models) {
  return fmt::format("{}", fmt::join(models.names(), ", "));
}

// "greedy: From the fastest named schedule ...", a line each.
std::string searches_text(const SearchRegistry& searches) {
  std::vector<std::string> lines;
  for (const SearchRegistry::Entry* entry : searches.entries())
    lines.push_back(fmt::format("{}: {}", entry->name, entry->item->doc()));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::string text = CLI::Formatter::make_option_desc(option);
  fill_in(text, ModelsInHelp, [this] { return models_text(session_.cost_models()); });
  fill_in(text, SearchesInHelp, [this] { return searches_text(session_.searches()); });
  fill_in(text, EnergiesInHelp, [this] {
    return fmt::format("{}", fmt::join(energy_suffixes(session_.front_ends()), ", "));
  });
  return text;
}

}  // namespace thallo::cli
