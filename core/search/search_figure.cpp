#include "core/search/search_figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/bytes_text.h"
#include "core/base/quantity_text.h"

namespace thallo {

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
