#include "core/cli/search_output.h"

#include <cmath>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace thallo::cli {

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

nlohmann::ordered_json searched_json(const SearchedBy& searched) {
  nlohmann::ordered_json json = {{"name", searched.search},
                                 {"options", nlohmann::ordered_json::object()},
                                 {"figures", nlohmann::ordered_json::object()},
                                 {"remark", searched.remark},
                                 {"ending", to_string(searched.ending)}};
  for (const std::string& name : searched.options.names()) {
    json["options"][name] =
        std::visit([](const auto& value) { return nlohmann::ordered_json(value); },
                   *searched.options.find_value(name));
  }
  for (const SearchFigure& figure : searched.figures)
    json["figures"][figure.name] = std::isfinite(figure.value)
                                       ? nlohmann::ordered_json(figure.value)
                                       : nlohmann::ordered_json();
  return json;
}

}  // namespace thallo::cli
