#include "core/base/assets.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

namespace fs = std::filesystem;

TEST(Assets, AreFoundBesideTheCoreLibraryAlone) {
  const auto spec = find_asset("devices/h200.toml");
  ASSERT_TRUE(spec);
  EXPECT_TRUE(fs::is_regular_file(*spec));
  EXPECT_EQ(spec->parent_path(), *find_asset("devices"));
  EXPECT_EQ(*spec, core_folder().parent_path() / "share/thallo/devices/h200.toml");
  EXPECT_FALSE(find_asset("devices/none.toml"));
}

TEST(Assets, AreTheFilesThatShipWithThallo) {
  EXPECT_TRUE(is_shipped(*find_asset("devices") / "h200.toml"));
  EXPECT_TRUE(is_shipped(core_folder() / "thallo/problems/none.lua"));
  EXPECT_FALSE(is_shipped(core_folder() / "thallo_of_mine/none.lua"));
  EXPECT_FALSE(is_shipped("mine.lua"));
}

}  // namespace
}  // namespace thallo
