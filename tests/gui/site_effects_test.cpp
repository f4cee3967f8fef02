#include "gui/models/site_effects.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thallo::gui {
namespace {

using testing::ElementsAre;

const double E = std::exp(1.0);
const double None = std::numeric_limits<double>::quiet_NaN();

TEST(DirectiveText, TakesALineApart) {
  const auto strategy = DirectiveText::of("r.fit:strategy(\"[JtJ]p\")", false);
  EXPECT_EQ(strategy.site, "fit:strategy");
  EXPECT_EQ(strategy.choice, "[JtJ]p");
  const auto value = DirectiveText::of("%0353:materialize{value=false, gradient=true}", false);
  EXPECT_EQ(value.site, "%0353:materialize");
  EXPECT_EQ(value.choice, "value=false, gradient=true");
}

TEST(DirectiveText, CountsWhatStandsFirstToTheSiteOfARepeatedWord) {
  EXPECT_EQ(DirectiveText::of("r.fit:split_merge{[2]=\"new\"}", true).site, "fit:split_merge [2]");
  EXPECT_EQ(DirectiveText::of("r.fit:split_merge{[2]=\"new\"}", true).choice, "new");
  const auto block = DirectiveText::of("r.fit:block{role=\"cost\", threads=64, rows=2}", true);
  EXPECT_EQ(block.site, "fit:block role=\"cost\"");
  EXPECT_EQ(block.choice, "threads=64, rows=2");
}

// The logarithms are 0, 0, 2, 2: all of their variance lies between the two strategies, and none
// between the two orders.
TEST(SiteEffects, TellHowMuchOfTheVarianceAChoiceExplains) {
  const std::vector<std::string> texts = {"", "r.a:order(1)\n", "r.a:way(\"x\")\n",
                                          "r.a:way(\"x\")\nr.a:order(1)\n"};
  const auto effects =
      siteEffects(texts, std::vector{1.0, 1.0, E * E, E * E}, {{"a:way", "none"}}, 9);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[0].site, "a:way");
  EXPECT_DOUBLE_EQ(effects[0].explained, 1);
  EXPECT_THAT(effects[0].choices, ElementsAre("none", "x"));
  EXPECT_THAT(effects[0].chosen, ElementsAre(0, 0, 1, 1));
  EXPECT_DOUBLE_EQ(effects[1].explained, 0);
}

// No schedule decides about two of the kernels of the merged part, and yet they are apart.
TEST(SiteEffects, KeepSitesApartThatShareAWord) {
  const std::vector<std::string> texts = {"r.a_b:block{role=\"cost\", threads=64}\n",
                                          "r.a_b:block{role=\"jtf\", threads=64}\n", ""};
  const auto effects =
      siteEffects(texts, std::vector{1.0, 2.0, 4.0},
                  {{"a:block role=\"cost\"", "as usual"}, {"a:block role=\"jtf\"", "as usual"}}, 9);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_THAT((std::vector{effects[0].site, effects[1].site}),
              testing::UnorderedElementsAre("a_b:block role=\"cost\" (threads)",
                                            "a_b:block role=\"jtf\" (threads)"));
}

// Logarithms 0, 1, 3: mean 4/3, variance sum 10 - 16/3 = 14/3; of the groups {0, 1} and {3} the sum
// between is 1/2 + 9 - 16/3 = 25/6, and 25/6 of 14/3 are 25/28.
TEST(SiteEffects, ComputeEtaSquared) {
  const auto effects = siteEffects(std::vector<std::string>{"", "", "r.a:way(1)\n"},
                                   std::vector{1.0, E, E * E * E}, {}, 9);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_NEAR(effects[0].explained, 25.0 / 28, 1e-12);
  EXPECT_DOUBLE_EQ(effects[0].medians[1], E * E * E);
}

TEST(SiteEffects, PutTheFastestChoiceFirst) {
  const auto effects = siteEffects(std::vector<std::string>{"", "r.a:way(1)\n", "r.a:way(2)\n"},
                                   std::vector{3.0, 2.0, 1.0}, {}, 9);
  EXPECT_THAT(effects[0].choices, ElementsAre("2", "1", "(nothing said)"));
  EXPECT_THAT(effects[0].chosen, ElementsAre(2, 1, 0));
}

TEST(SiteEffects, NameArgumentsOnce) {
  const auto effects =
      siteEffects(std::vector<std::string>{"x:keep{value=true, gradient=false}\n",
                                           "x:keep{value=false, gradient=false}\n"},
                  std::vector{1.0, 2.0}, {{"x:keep", "value=true, gradient=true"}}, 9);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].site, "x:keep (value, gradient)");
  EXPECT_THAT(effects[0].choices, ElementsAre("true, false", "false, false", "true, true"));
}

TEST(SiteEffects, LeaveOutCandidatesWithoutATimeAndSitesThatDoNotDiffer) {
  const std::vector<std::string> texts = {"r.b:way(1)\n", "r.b:way(1)\nr.a:way(1)\n",
                                          "r.c:way(1)\n"};
  const auto effects = siteEffects(texts, std::vector{1.0, 2.0, None}, {}, 9);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].site, "a:way");
}

}  // namespace
}  // namespace thallo::gui
