#include "core/base/diagnostic.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

TEST(Diagnostic, SaysWhereWhatAndWhatWouldBeLegalAsFarAsIsKnown) {
  const Diagnostic diagnostic{"no dim 'w'", {"warp.lua", 12, 0}, {"W", "H"}};
  EXPECT_EQ(diagnostic.message(), "warp.lua:12: no dim 'w' (legal: W, H)");
  EXPECT_EQ((Diagnostic{"it broke", {}, {}}).message(), "it broke");
  EXPECT_EQ((Diagnostic{"it broke", {"a.lua"}, {}}).message(), "a.lua: it broke");
  EXPECT_EQ((Diagnostic{"it broke", {"a.lua", 3, 7}, {}}).message(), "a.lua:3:7: it broke");
  EXPECT_EQ((Diagnostic{"it broke", {"a.lua", 0, 7}, {}}).message(), "a.lua: it broke");
  const auto parse = [](int rank) -> Expected<int> {
    if (rank > 3) return fail_at({"a.lua", 1}, "rank {} is above {}", rank, 3);
    return rank;
  };
  EXPECT_EQ(parse(2).value(), 2);
  EXPECT_EQ(parse(4).error().message(), "a.lua:1: rank 4 is above 3");
}

}  // namespace
}  // namespace thallo
