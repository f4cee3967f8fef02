#include "gui/workspace/search_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thallo::gui {
namespace {

std::vector<std::string> namesOf(const std::vector<SearchEntry>& entries) {
  std::vector<std::string> names;
  for (const SearchEntry& entry : entries) names.push_back(entry.name.toStdString());
  return names;
}

TEST(SearchIndex, PrefersBeginningsOverWordsOverLetters) {
  std::vector<SearchEntry> entries;
  for (const char* name : {"shape_from_shading", "reg.fit", "fit", "fitting", "profit", "ring"})
    entries.push_back({"node", name, {}, [] {}});
  EXPECT_THAT(namesOf(findEntries(entries, "FIT", 9)),
              testing::ElementsAre("fit", "fitting", "reg.fit", "profit"));
  EXPECT_THAT(namesOf(findEntries(entries, "sfs", 9)), testing::ElementsAre("shape_from_shading"));
  EXPECT_EQ(findEntries(entries, "", 3).size(), 3u);
  EXPECT_TRUE(findEntries(entries, "xyz", 3).empty());
}

}  // namespace
}  // namespace thallo::gui
