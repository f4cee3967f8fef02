// The options of a search, as `--search-set NAME=VALUE` gives them and `--help-search` lists them.
#pragma once

#include <string>
#include <vector>

#include "core/search/search.h"

namespace thallo::cli {

// Converts texts such as "width=16" to typed values. An option that the search does not have stays
// a text; check_search() names it, with all options there are. Throws UserError if a text is not
// NAME=VALUE, sets an option for the second time, or is not a legal value.
Options read_search_options(const Search& search, const std::vector<std::string>& settings);

// Returns the help of a search: what it does, and its options with what is legal and the default.
std::string search_options_text(const Search& search);

}  // namespace thallo::cli
