// What a search reports about itself while it runs, as data: the states that it has priced, the
// pass, the best so far.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
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

template <>
inline constexpr EnumNames enum_names<SearchFigure::Unit> = {
    "unit of a figure", {"count", "seconds", "estimate", "bytes", "share"}};

// Returns "1203", "12.3 µs", "4.1 MiB" or "12 %".
std::string figure_text(const SearchFigure& figure);
// Returns "states priced 1203, pass 4".
std::string figures_text(std::span<const SearchFigure> figures);

}  // namespace thallo
