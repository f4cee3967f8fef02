// What an exploration refuses to search, asked by the command line and by the app.
#include "core/explore/search/exploration.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/hash.h"

namespace thallo {
namespace {

std::string fault_of(const ExplorationRequest& request) {
  SearchRegistry searches("search");
  add_searches(searches);
  const auto checked = check_search(searches, request);
  return checked ? "" : checked.error().message();
}

TEST(SearchOfAnExploration, HasARangeOrSamplesOnlyIfItTakesThem) {
  for (const std::string search : {"exhaustive", "random"}) {
    EXPECT_EQ(fault_of({.search = search, .space_name = "published"}), "");
    EXPECT_EQ(fault_of({.search = search, .first = 3, .end = 5}), "");
  }
  for (const std::string search : {"greedy", "timed"}) {
    EXPECT_EQ(fault_of({.search = search}), "");
    EXPECT_EQ(fault_of({.search = search, .space_name = "published"}),
              "the option 'search=" + search +
                  "' looks at schedules outside of space published, too: choose exhaustive or "
                  "random, or space full");
    EXPECT_EQ(fault_of({.search = search, .first = 3, .end = 5}),
              "the option 'index' has no effect with the option 'search=" + search +
                  "': choose exhaustive or random");
  }
  EXPECT_EQ(fault_of({.search = "random", .samples = 7}), "");
  EXPECT_EQ(fault_of({.search = "exhaustive", .samples = 7}),
            "the option 'sample' has no effect with the option 'search=exhaustive': choose random");
  EXPECT_EQ(fault_of({.search = "exhaustive", .shard = Shard{1, 3}}), "");
  EXPECT_EQ(fault_of({.search = "random", .samples = 7, .shard = Shard{1, 3}}), "");
  for (const std::string search : {"greedy", "timed", "beam", "exact"}) {
    EXPECT_EQ(fault_of({.search = search, .shard = Shard{1, 3}}),
              "the option 'shard' has no effect with the option 'search=" + search +
                  "', whose proposals depend on times: choose exhaustive or random");
  }
}

TEST(Shards, HaveEachScheduleOnce) {
  for (const std::uint64_t count : {1, 2, 3, 16}) {
    std::vector<int> sizes(count, 0);
    for (int i = 0; i < 1600; ++i) {
      const std::string hash = hash_text(std::to_string(i)).hex();
      int num_owners = 0;
      for (std::uint64_t number = 0; number < count; ++number) {
        if (!Shard{number, count}.has(hash)) continue;
        ++num_owners;
        ++sizes[number];
      }
      EXPECT_EQ(num_owners, 1) << hash;
    }
    const double mean = 1600.0 / static_cast<double>(count);
    for (const int size : sizes) EXPECT_NEAR(size, mean, 5 * std::sqrt(mean));
  }
}

TEST(SearchOfAnExploration, HasToBeThereWithLegalOptions) {
  EXPECT_EQ(fault_of({.search = "greed"}),
            "no search 'greed'; did you mean 'greedy'? (loaded: autotune, beam, exact, exhaustive, "
            "greedy, random, timed)");
  EXPECT_EQ(fault_of({.search = "beam", .search_options = {{"width", 8}}}), "");
  EXPECT_THAT(fault_of({.search = "beam", .search_options = {{"wdith", 8}}}),
              testing::StartsWith("the option 'search=beam': no option 'wdith'; did you mean "
                                  "'width'? (legal: width, passes, "));
  EXPECT_EQ(
      fault_of({.search = "beam", .search_options = {{"width", 0}}}),
      "the option 'search=beam': option 'width' = 0 is out of range, at least 1, at most 4096");
  EXPECT_EQ(fault_of({.search = "greedy", .search_options = {{"width", 8}}}),
            "the option 'search=greedy': no option 'width'");
}

}  // namespace
}  // namespace thallo
