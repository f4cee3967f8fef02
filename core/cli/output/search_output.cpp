#include "core/cli/output/search_output.h"

#include <fmt/format.h>

#include "core/base/json_fields.h"

namespace thallo::cli {

using json_fields::Json;

std::string indented_schedule(const std::string& text) {
  if (text.empty()) return "  the default schedule: no directive\n";
  std::string result;
  for (const char c : text) {
    if (result.empty() || result.back() == '\n') result += "  ";
    result += c;
  }
  return result;
}

void print_pins(const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  fmt::print("{} pinned:\n",
             texts.size() == 1 ? "1 site is" : fmt::format("{} sites are", texts.size()));
  for (const std::string& text : texts) fmt::print("  {}\n", text);
}

std::string marked_text(const std::vector<std::string>& names, bool keeps_pins) {
  return fmt::format("{}{}", fmt::join(names, ", "), keeps_pins ? "" : "; not as pinned");
}

void print_searched(const SearchedBy& searched) {
  if (!searched.figures.empty())
    fmt::print("\n{}: {}\n", searched.search, figures_text(searched.figures));
  if (!searched.remark.empty())
    fmt::print("{}{}\n", searched.figures.empty() ? "\n" : "", searched.remark);
  if (searched.ending == SearchEnding::Cancelled)
    fmt::print("\nit was interrupted before the search had ended\n");
}

Json figures_json(const SearchFigures& figures) {
  Json json = Json::object();
  for (const SearchFigure& figure : figures) json[figure.name] = json_fields::plain(figure.value);
  return json;
}

Json searched_json(const SearchedBy& searched) {
  return {{"name", searched.search},
          {"options", json_fields::plain(searched.options)},
          {"figures", figures_json(searched.figures)},
          {"remark", searched.remark},
          {"seconds", searched.seconds},
          {"proposed", searched.proposed},
          {"ending", to_string(searched.ending)}};
}

}  // namespace thallo::cli
