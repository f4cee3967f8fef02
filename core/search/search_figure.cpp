#include "core/search/search_figure.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/bytes_text.h"
#include "core/base/quantity_text.h"

namespace thallo {
namespace {

constexpr std::array Units = {std::pair(SearchFigure::Unit::Count, std::string_view("count")),
                              std::pair(SearchFigure::Unit::Seconds, std::string_view("seconds")),
                              std::pair(SearchFigure::Unit::Estimate, std::string_view("estimate")),
                              std::pair(SearchFigure::Unit::Bytes, std::string_view("bytes")),
                              std::pair(SearchFigure::Unit::Share, std::string_view("share"))};

}  // namespace

std::string_view to_string(SearchFigure::Unit unit) {
  return std::ranges::find(Units, unit, &decltype(Units)::value_type::first)->second;
}

Expected<SearchFigure::Unit> parse_as(std::string_view text, SearchFigure::Unit) {
  Diagnostic fault{fmt::format("there is no unit '{}' of a figure", text), {}, {}};
  for (const auto& [unit, name] : Units) {
    if (name == text) return unit;
    fault.alternatives.emplace_back(name);
  }
  return fail(std::move(fault));
}

std::string figure_text(const SearchFigure& figure) {
  using Unit = SearchFigure::Unit;
  switch (figure.unit) {
    case Unit::Count: return fmt::format("{:.0f}", figure.value);
    case Unit::Seconds:
    case Unit::Estimate: return quantity_text(figure.value, "s");
    case Unit::Bytes: return bytes_text(figure.value);
    case Unit::Share: return fmt::format("{:.3g} %", 100 * figure.value);
  }
  return {};
}

std::string figures_text(std::span<const SearchFigure> figures) {
  std::vector<std::string> texts;
  for (const SearchFigure& figure : figures)
    texts.push_back(fmt::format("{} {}", figure.name, figure_text(figure)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace thallo
