#include "core/base/assets.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

namespace fs = std::filesystem;

TEST(Assets, AreFoundBesideTheCoreLibrary) {
  const auto spec = find_asset("devices/h200.toml");
  ASSERT_TRUE(spec);
  EXPECT_TRUE(fs::is_regular_file(*spec));
  EXPECT_EQ(spec->parent_path(), *find_asset("devices"));
  EXPECT_EQ(*spec, core_folder().parent_path() / "share/thallo/devices/h200.toml");
}

TEST(Assets, AreAbsentWhereTheyAreNot) { EXPECT_FALSE(find_asset("devices/none.toml")); }

}  // namespace
}  // namespace thallo
