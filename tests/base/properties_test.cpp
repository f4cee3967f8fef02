#include "core/base/properties.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

TEST(Properties, AreOfTheirTypeOrAFault) {
  Properties p;
  p.set("flag", true);
  p.set("count", 3);
  p.set("scale", 0.5);
  p.set("name", "dense");
  EXPECT_EQ(p.find<bool>("flag"), true);
  EXPECT_EQ(p.find<std::int64_t>("count"), 3);
  EXPECT_EQ(p.find<double>("scale"), 0.5);
  EXPECT_EQ(p.find<std::string>("name"), "dense");
  EXPECT_EQ(p.find<bool>("count"), std::nullopt);
  EXPECT_EQ(p.find<std::int64_t>("scale"), std::nullopt);
  EXPECT_EQ((Properties{{"scale", std::int64_t{2}}}).find<double>("scale"), 2.0);
  const Properties scale{{"scale", std::string("big")}};
  EXPECT_EQ(scale.require<double>("scale").error().message(),
            "'scale' is big (string), but a double is wanted");
  EXPECT_EQ(scale.require<double>("scael").error().message(),
            "'scael' is missing; did you mean 'scale'?");
}

TEST(Properties, CompareByContentAndPrintSortedByName) {
  const Properties a{{"x", 1.0}};
  const Properties b{{"x", 1.0}};
  EXPECT_EQ(a, b);
  EXPECT_NE(a, (Properties{{"x", 2.0}}));
  EXPECT_NE(a, (Properties{{"x", std::int64_t{1}}}));
  EXPECT_NE(a, Properties());
  EXPECT_EQ((Properties{{"b", true}, {"a", 0.1}, {"c", std::string("t")}}).text(),
            "a=0.1, b=true, c=t");
}

}  // namespace
}  // namespace thallo
