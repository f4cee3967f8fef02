// Prints what searched for schedules: a search, its options, and what it reports about itself.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/explore/store/store_records.h"
#include "core/search/search.h"

namespace thallo::cli {

// How many of the best schedules are shown to people; JSON has all.
inline constexpr std::size_t NumShown = 10;

struct SearchedBy {
  std::string search;
  Options options;  // complete
  SearchFigures figures;
  std::string remark;  // SearchRun::remark()
  SearchEnding ending = SearchEnding::Finished;
  double seconds = 0;                      // that it took
  std::vector<std::string> proposed = {};  // hashes, in this order
};

// Returns the text of a schedule with every line indented, or a line that says that it is the
// default.
std::string indented_schedule(const std::string& text);
// Prints how many sites are pinned, and as what, one a line. Prints nothing if none is.
void print_pins(const std::vector<std::string>& texts);
// Returns the names of a schedule and, if so, that it does not keep the pins: "default, opt; not as
// pinned".
std::string marked_text(const std::vector<std::string>& names, bool keeps_pins);
// Prints the figures in a line, and the remark. Prints nothing if there are none.
void print_searched(const SearchedBy& searched);
// An object with the figures by their names.
nlohmann::ordered_json figures_json(const SearchFigures& figures);
nlohmann::ordered_json searched_json(const SearchedBy& searched);

}  // namespace thallo::cli
