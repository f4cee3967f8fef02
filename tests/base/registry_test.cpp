#include "core/base/registry.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

Registry<int> make_registry() {
  Registry<int> registry("construct");
  EXPECT_TRUE(
      registry.add("materialize", std::make_unique<int>(1), "materialize.thallo.so (1.2.0)"));
  EXPECT_TRUE(registry.add("inline", std::make_unique<int>(2), "thallo"));
  return registry;
}

TEST(Registry, FindsByNameOrSuggestsTheNearest) {
  const auto registry = make_registry();
  EXPECT_EQ(*registry.find("inline"), 2);
  EXPECT_EQ(registry.find("outline"), nullptr);
  EXPECT_EQ(registry.names(), (std::vector<std::string>{"inline", "materialize"}));
  auto owned = make_registry();
  const auto again = owned.add("materialize", std::make_unique<int>(3), "other.thallo.so");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message(),
            "construct 'materialize' is already provided by materialize.thallo.so (1.2.0)");
  EXPECT_EQ(*owned.find("materialize"), 1);
  EXPECT_EQ(
      make_registry().lookup("materialise").error().message(),
      "no construct 'materialise'; did you mean 'materialize'? (loaded: inline, materialize)");
  EXPECT_EQ(Registry<int>("problem").lookup("warp").error().message(),
            "no problem 'warp' (loaded: none)");
  EXPECT_EQ(make_registry().find_entry("inline")->provenance, "thallo");
}

}  // namespace
}  // namespace thallo
