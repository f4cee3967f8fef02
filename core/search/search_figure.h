// What a search reports about itself while it runs, as data: the states that it has priced, the
// pass, the best so far.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/fields.h"

namespace thallo {

struct SearchFigure {
  // Seconds are of a clock; an estimate is of an iteration, in seconds, by a cost model.
  enum class Unit { Count, Seconds, Estimate, Bytes, Share };
  std::string name;  // "states priced"
  double value = 0;
  Unit unit = Unit::Count;

  friend bool operator==(const SearchFigure&, const SearchFigure&) = default;
};
THALLO_FIELDS(SearchFigure, name, value, unit)
using SearchFigures = std::vector<SearchFigure>;

std::string_view to_string(SearchFigure::Unit unit);  // "count", "seconds"
Expected<SearchFigure::Unit> parse_as(std::string_view text, SearchFigure::Unit);

// Returns "1203", "12.3 µs", "4.1 MiB" or "12 %".
std::string figure_text(const SearchFigure& figure);
// Returns "states priced 1203, pass 4".
std::string figures_text(std::span<const SearchFigure> figures);

}  // namespace thallo
