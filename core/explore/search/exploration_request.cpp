#include "core/explore/search/exploration_request.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/option_text.h"

namespace thallo {
namespace {

// "exhaustive or random"
std::string searches_that(const SearchRegistry& registry, bool (Search::*is_so)() const) {
  std::vector<std::string_view> names;
  for (const SearchRegistry::Entry* entry : registry.entries())
    if (((*entry->item).*is_so)()) names.push_back(entry->name);
  return fmt::format("{}", fmt::join(names, " or "));
}

// Returns all options of the search.
Expected<Options> search_options(const Search& search, const Options& given) {
  auto options = complete_options(search.options(), given);
  if (options) return options;
  return fail("{}: {}", option_text("search", search.name()), options.error().message());
}

}  // namespace

Expected<void> check_search(const SearchRegistry& searches, const ExplorationRequest& request) {
  THALLO_TRY(const auto search, searches.lookup(request.search));
  THALLO_CHECK(search_options(*search, request.search_options));
  if (request.samples && !search->takes_samples()) {
    return fail("{} has no effect with {}: choose {}", option_text("sample"),
                option_text("search", request.search),
                searches_that(searches, &Search::takes_samples));
  }
  if (request.shard && !search->can_be_divided()) {
    return fail("{} has no effect with {}, whose proposals depend on times: choose {}",
                option_text("shard"), option_text("search", request.search),
                searches_that(searches, &Search::can_be_divided));
  }
  if (search->stays_in_space()) return {};
  if (request.space_name != FullSpaceName) {
    return fail("{} looks at schedules outside of space {}, too: choose {}, or space {}",
                option_text("search", request.search), request.space_name,
                searches_that(searches, &Search::stays_in_space), FullSpaceName);
  }
  if (request.first || request.end) {
    return fail("{} has no effect with {}: choose {}", option_text("index"),
                option_text("search", request.search),
                searches_that(searches, &Search::stays_in_space));
  }
  return {};
}

Expected<const Search*> complete_search(const SearchRegistry& searches,
                                        ExplorationRequest& request) {
  THALLO_CHECK(check_search(searches, request));
  const Search* search = searches.find(request.search);
  request.search_options = *search_options(*search, request.search_options);
  return search;
}

}  // namespace thallo
