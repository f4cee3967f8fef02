#pragma once

// Says what an exploration does: which schedules of what, found by which search, measured how.

#include <cstdint>
#include <optional>
#include <string>

#include "core/explore/measure/measurer.h"
#include "core/explore/search/shard.h"
#include "core/explore/space/explored_space.h"
#include "core/search/indexed_space.h"
#include "core/search/search.h"

namespace thallo {

struct ExplorationRequest {
  ExplorationTarget target;
  std::string search = "exhaustive";
  Options search_options = {};            // as the user gave them; the others have their defaults
  const IndexedSpace* space = nullptr;    // null: all schedules, without numbers
  std::string space_name{FullSpaceName};  // the name of the space, or of a part of it: "published"
  std::optional<BigCount> first, end;     // range of numbers in the space; absent: all of it
  // Read for the energy of the target. What is searched keeps them; the named schedules need not.
  Pins pins = {};
  std::optional<std::int64_t> samples;
  std::uint64_t seed = 1;
  // Absent: everything that the search proposes. The named schedules are in every shard.
  std::optional<Shard> shard = {};
  // Random draws skip schedules that already had a result in the store before this time, in seconds
  // since 1970. If absent, the same request draws the same schedules.
  std::optional<std::int64_t> fresh_since = {};
  // Options of the measurer. Their `space` is set by the exploration.
  MeasurerOptions measurer;
  int num_best = 5;    // how many of the best are solved, if steps are measured
  int num_random = 0;  // how many others are solved, drawn at random
};

// Fails if there is no search of that name, if an option of it is not legal, or if the search does
// not support the requested space, range, number of schedules or shard.
Expected<void> check_search(const SearchRegistry& searches, const ExplorationRequest& request);
// Returns the search and completes its options in the request. Fails as check_search() does.
Expected<const Search*> complete_search(const SearchRegistry& searches,
                                        ExplorationRequest& request);

}  // namespace thallo
