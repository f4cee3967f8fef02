#include "gui/models/site_effects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thallo::gui {
namespace {

using testing::ElementsAre;

const double E = std::exp(1.0);
const double None = std::numeric_limits<double>::quiet_NaN();

// Of candidates that all have the same sites, those of this text.
SilentChoices silent(std::string text, std::size_t numCandidates) {
  return {{std::move(text)}, std::vector<std::optional<std::size_t>>(numCandidates, 0)};
}

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
  const auto usual = DirectiveText::of("r.fit:block{role=\"cost\"}", true);
  EXPECT_EQ(usual.site, "fit:block role=\"cost\"");
  EXPECT_EQ(usual.choice, "default");
}

// The logarithms are 0, 0, 2, 2: all of their variance lies between the two strategies, and none
// between the two orders.
TEST(SiteEffects, TellHowMuchOfTheVarianceAChoiceExplains) {
  const std::vector<std::string> texts = {"", "r.a:order(1)\n", "r.a:way(\"x\")\n",
                                          "r.a:way(\"x\")\nr.a:order(1)\n"};
  const auto effects = siteEffects(texts, std::vector{1.0, 1.0, E * E, E * E},
                                   silent("r.a:way(\"none\")\nr.a:order(0)\n", 4), 9);
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
  const std::string defaults = "r.a:block{role=\"cost\"}\nr.a:block{role=\"jtf\"}\n";
  const auto effects =
      siteEffects(texts, std::vector{1.0, 2.0, 4.0}, {{defaults}, {{}, {}, {}}}, 9);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_THAT((std::vector{effects[0].site, effects[1].site}),
              testing::UnorderedElementsAre("a_b:block role=\"cost\" (threads)",
                                            "a_b:block role=\"jtf\" (threads)"));
}

// Logarithms 0, 1, 3: mean 4/3, variance sum 10 - 16/3 = 14/3; of the groups {0, 1} and {3} the sum
// between is 1/2 + 9 - 16/3 = 25/6, and 1/2 is left for one degree of freedom. Omega squared is
// (25/6 - 1/2) / (14/3 + 1/2), and the F of 1 and 1 degrees is the square of Cauchy's.
TEST(SiteEffects, ComputeOmegaSquared) {
  const auto effects = siteEffects(std::vector<std::string>{"", "", "r.a:way(1)\n"},
                                   std::vector{1.0, E, E * E * E}, {}, 9);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_NEAR(effects[0].explained, 22.0 / 31, 1e-12);
  EXPECT_NEAR(effects[0].chance, 1 - 2 / std::numbers::pi * std::atan(std::sqrt(25.0 / 3)), 1e-12);
  EXPECT_EQ(effects[0].numTimed, 3u);
  EXPECT_FALSE(effects[0].isSignificant());
  EXPECT_DOUBLE_EQ(effects[0].medians[1], E * E * E);
}

// 61 choices of 338 schedules that mean nothing have 18 % of the variance between them.
TEST(SiteEffects, PutNoiseOfManyChoicesAfterWhatMatters) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.2);
  std::vector<std::string> texts;
  std::vector<double> seconds;
  for (int i = 0; i < 338; ++i) {
    const bool isSlow = i % 5 == 0;
    texts.push_back(fmt::format("r.a:block({})\n", i % 61) + (isSlow ? "r.a:way(1)\n" : ""));
    seconds.push_back(std::exp(noise(random) + (isSlow ? 0.15 : 0)));
  }
  const auto effects = siteEffects(texts, seconds, {}, 9);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[0].site, "a:way");
  EXPECT_TRUE(effects[0].isSignificant());
  EXPECT_EQ(effects[1].site, "a:block");
  EXPECT_LT(effects[1].explained, 0.04);
  EXPECT_FALSE(effects[1].isSignificant());
  EXPECT_EQ(numSignificant(effects), 1u);
  EXPECT_EQ(effectsText(effects, 1).toStdString(),
            "Share of variance explained beyond those before; other sites none that shows.");
}

// A search tried many blocks with the fast way alone: the blocks differ from the default because
// the ways do, and explain nothing of themselves.
TEST(SiteEffects, LeaveNothingToWhatDiffersBecauseAnotherSiteDoes) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<std::string> texts;
  std::vector<double> seconds;
  for (int i = 0; i < 120; ++i) {
    const bool isFast = i % 2 == 0;
    texts.push_back(isFast ? fmt::format("r.a:way(1)\nr.a:block({})\n", i / 2 % 10) : "");
    seconds.push_back(std::exp(noise(random) - (isFast ? 1 : 0)));
  }
  const auto effects = siteEffects(texts, seconds, silent("r.a:way(0)\nr.a:block(0)\n", 120), 9);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[0].site, "a:way");
  EXPECT_GT(effects[0].explained, 0.99);
  EXPECT_EQ(effects[1].site, "a:block");
  EXPECT_LT(effects[1].explained, 1e-3);
  EXPECT_FALSE(effects[1].isSignificant());
}

// Of the four, two have the part, and one of these says nothing of it.
TEST(SiteEffects, TellTheDefaultFromAPartThatDoesNotExist) {
  const std::vector<std::string> texts = {"", "r.x:split_merge{[2]=\"new\"}\n",
                                          "r.x:split_merge{[2]=\"new\"}\nr.x_2:way(1)\n", ""};
  const SilentChoices silent = {{"r.x:way(0)\nr.x:split_merge{[2]=\"x\"}\n",
                                 "r.x:way(0)\nr.x_2:way(0)\nr.x:split_merge{[2]=\"x\"}\n"},
                                {0, 1, 1, 0}};
  const auto effects = siteEffects(texts, std::vector{1.0, 2.0, 3.0, 1.0}, silent, 9);
  ASSERT_EQ(effects.size(), 2u);
  const auto found = std::ranges::find(effects, "x_2:way", &SiteEffect::site);
  ASSERT_NE(found, effects.end());
  EXPECT_THAT(found->choices, ElementsAre("0", "1", "(does not exist)"));
  EXPECT_THAT(found->chosen, ElementsAre(2, 0, 1, 2));
  EXPECT_EQ(found->numTimed, 2u);
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
                  std::vector{1.0, 2.0}, silent("x:keep{value=true, gradient=true}\n", 2), 9);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].site, "x:keep (value, gradient)");
  EXPECT_THAT(effects[0].choices, ElementsAre("true, false", "false, false"));
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
