#include "core/explore/report/choice_effects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace thallo {
namespace {

using testing::ElementsAre;

const double Euler = std::exp(1.0);
const double None = std::numeric_limits<double>::quiet_NaN();

// A decision of the construct "way" at the part `site`.
Decision way(const std::string& site, const std::string& choice) { return {"way", site, choice}; }

// What schedules say, each in a list; they all have the same sites if their defaults are given.
DecisionTable table_of(const std::vector<std::vector<Decision>>& schedules,
                       const std::vector<Decision>& defaults = {}) {
  DecisionTable table;
  const auto numbers = [&](const std::vector<Decision>& decisions) {
    std::vector<std::uint32_t> result;
    for (const Decision& decision : decisions) result.push_back(table.number_of(decision));
    return result;
  };
  if (!defaults.empty()) table.site_sets.push_back(numbers(defaults));
  for (const auto& said : schedules) {
    table.schedules.push_back({.said = numbers(said)});
    if (!defaults.empty()) table.schedules.back().sites = 0;
  }
  return table;
}

// The logarithms are 0, 0, 2, 2: all of their variance lies between the two strategies, and none
// between the two orders.
TEST(ChoiceEffects, TellHowMuchOfTheVarianceAChoiceExplains) {
  const Decision ordered = {"order", "a", "1"};
  const auto table = table_of({{}, {ordered}, {way("a", "x")}, {way("a", "x"), ordered}},
                              {way("a", "none"), {"order", "a", "0"}});
  const auto effects =
      effects_of_choices(table, std::vector{1.0, 1.0, Euler * Euler, Euler * Euler}, 9);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[0].site, "a:way");
  EXPECT_DOUBLE_EQ(effects[0].explained, 1);
  EXPECT_THAT(effects[0].choices, ElementsAre("none", "x"));
  EXPECT_THAT(effects[0].num_made, ElementsAre(2, 2));
  EXPECT_THAT(effects[0].chosen, ElementsAre(0, 0, 1, 1));
  EXPECT_DOUBLE_EQ(effects[1].explained, 0);
}

// Logarithms 0, 1, 3: mean 4/3, variance sum 10 - 16/3 = 14/3; of the groups {0, 1} and {3} the sum
// between is 1/2 + 9 - 16/3 = 25/6, and 1/2 is left for one degree of freedom. Omega squared is
// (25/6 - 1/2) / (14/3 + 1/2), and the F of 1 and 1 degrees is the square of Cauchy's.
TEST(ChoiceEffects, ComputeOmegaSquared) {
  const auto effects = effects_of_choices(table_of({{}, {}, {way("a", "1")}}),
                                          std::vector{1.0, Euler, Euler * Euler * Euler}, 9);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_NEAR(effects[0].explained, 22.0 / 31, 1e-12);
  EXPECT_NEAR(effects[0].chance, 1 - 2 / std::numbers::pi * std::atan(std::sqrt(25.0 / 3)), 1e-12);
  EXPECT_EQ(effects[0].num_timed, 3u);
  EXPECT_FALSE(effects[0].is_significant());
  EXPECT_DOUBLE_EQ(effects[0].medians[1], Euler * Euler * Euler);
}

// 61 choices of 338 schedules that mean nothing have 18 % of the variance between them.
TEST(ChoiceEffects, PutNoiseOfManyChoicesAfterWhatMatters) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.2);
  std::vector<std::vector<Decision>> schedules;
  std::vector<double> seconds;
  for (int i = 0; i < 338; ++i) {
    const bool is_slow = i % 5 == 0;
    schedules.push_back({{"block", "a", fmt::to_string(i % 61)}});
    if (is_slow) schedules.back().push_back(way("a", "1"));
    seconds.push_back(std::exp(noise(random) + (is_slow ? 0.15 : 0)));
  }
  const auto effects = effects_of_choices(table_of(schedules), seconds, 9);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[0].site, "a:way");
  EXPECT_TRUE(effects[0].is_significant());
  EXPECT_EQ(effects[1].site, "a:block");
  EXPECT_LT(effects[1].explained, 0.04);
  EXPECT_FALSE(effects[1].is_significant());
}

// A search tried many blocks with the fast way alone: the blocks differ from the default because
// the ways do, and explain nothing of themselves.
TEST(ChoiceEffects, LeaveNothingToWhatDiffersBecauseAnotherSiteDoes) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<std::vector<Decision>> schedules;
  std::vector<double> seconds;
  for (int i = 0; i < 120; ++i) {
    const bool is_fast = i % 2 == 0;
    schedules.emplace_back();
    if (is_fast) schedules.back() = {way("a", "1"), {"block", "a", fmt::to_string(i / 2 % 10)}};
    seconds.push_back(std::exp(noise(random) - (is_fast ? 1 : 0)));
  }
  const auto table = table_of(schedules, {way("a", "0"), {"block", "a", "0"}});
  const auto effects = effects_of_choices(table, seconds, 9);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[0].site, "a:way");
  EXPECT_GT(effects[0].alone, 0.99);
  EXPECT_TRUE(effects[0].is_significant());
  EXPECT_EQ(effects[1].site, "a:block");
  EXPECT_GT(effects[1].alone, 0.7);
  EXPECT_LT(effects[1].explained, 1e-3);
  EXPECT_FALSE(effects[1].is_significant());
}

// Of the four, two have the part, and one of these says nothing of it.
TEST(ChoiceEffects, TellTheDefaultFromAPartThatDoesNotExist) {
  const Decision split = {"split_merge", "x[2]", "new"};
  const Decision merged = {"split_merge", "x[2]", "x"};
  DecisionTable table = table_of({{}, {split}, {split, way("x_2", "1")}, {}});
  table.site_sets = {
      {table.number_of(way("x", "0")), table.number_of(merged)},
      {table.number_of(way("x", "0")), table.number_of(way("x_2", "0")), table.number_of(merged)}};
  for (std::size_t i = 0; i < 4; ++i) table.schedules[i].sites = i == 1 || i == 2 ? 1 : 0;
  const auto effects = effects_of_choices(table, std::vector{1.0, 2.0, 3.0, 1.0}, 9);
  ASSERT_EQ(effects.size(), 2u);
  const auto found = std::ranges::find(effects, "x_2:way", &SiteEffect::site);
  ASSERT_NE(found, effects.end());
  EXPECT_THAT(found->choices, ElementsAre("0", "1", "(does not exist)"));
  EXPECT_THAT(found->chosen, ElementsAre(2, 0, 1, 2));
  EXPECT_EQ(found->num_timed, 2u);
}

// Whichever part holds the residual, its strategy makes the time; the part exists in half of the
// schedules, where it says the same again.
TEST(ChoiceEffects, LeaveNothingToAPartThatSaysWhatIsKnownOfItsResidual) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.01);
  DecisionTable table;
  std::vector<double> seconds;
  const auto merged = table.number_of({"split_merge", "y", "x"});
  const auto separate = table.number_of({"split_merge", "y", "new"});
  for (int i = 0; i < 80; ++i) {
    const std::string strategy = i / 2 % 2 == 0 ? "fast" : "slow";
    DecisionTable::Schedule& schedule = table.schedules.emplace_back();
    schedule.sites = i % 2;
    schedule.facts = {table.number_of({"strategy", "residual y", strategy})};
    if (i % 2 == 1) schedule.said = {separate, table.number_of({"strategy", "y", strategy})};
    seconds.push_back(std::exp(noise(random) + (strategy == "slow" ? 1 : 0) + i % 2 * 0.1));
  }
  table.site_sets = {{merged}, {merged, table.number_of({"strategy", "y", "fast"})}};
  const auto effects = effects_of_choices(table, seconds, 9);
  ASSERT_EQ(effects.size(), 3u);
  EXPECT_EQ(effects[0].site, "residual y:strategy");
  EXPECT_GT(effects[0].explained, 0.95);
  EXPECT_EQ(effects[0].num_compared, 80u);
  EXPECT_EQ(effects[1].site, "y:split_merge");
  EXPECT_TRUE(effects[1].is_significant());
  EXPECT_EQ(effects[2].site, "y:strategy");
  EXPECT_GT(effects[2].alone, 0.95);
  EXPECT_DOUBLE_EQ(effects[2].explained, 0);
  EXPECT_EQ(effects[2].num_compared, 40u);
}

TEST(ChoiceEffects, MergeSitesThatAlwaysDifferTogetherAndPutTheFastestFirst) {
  const Decision x = way("x", "1"), y = way("y", "2");
  auto table = table_of({{}, {x, y}, {}, {x, y}}, {way("x", "0"), way("y", "0")});
  auto effects = effects_of_choices(table, std::vector{1.0, 2.0, 1.0, 2.0}, 9);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].site, "x:way");
  EXPECT_THAT(effects[0].together, ElementsAre("y:way"));
  effects = effects_of_choices(table_of({{}, {way("a", "1")}, {way("a", "2")}}),
                               std::vector{3.0, 2.0, 1.0}, 9);
  EXPECT_THAT(effects[0].choices, ElementsAre("2", "1", "(nothing said)"));
  EXPECT_THAT(effects[0].chosen, ElementsAre(2, 1, 0));
  table = table_of({{way("b", "1")}, {way("b", "1"), way("a", "1")}, {way("c", "1")}});
  effects = effects_of_choices(table, std::vector{1.0, 2.0, None}, 9);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].site, "a:way");
}

// What cannot be read says nothing of any site, not even that it leaves it as it is.
TEST(ChoiceEffects, LeaveOutSchedulesThatCannotBeRead) {
  DecisionTable table = table_of({{way("a", "1")}, {way("a", "2")}, {}, {}});
  table.schedules[2].is_known = table.schedules[3].is_known = false;
  const auto effects = effects_of_choices(table, std::vector{1.0, 2.0, 30.0, 40.0}, 9);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].num_timed, 2u);
  EXPECT_THAT(effects[0].choices, ElementsAre("1", "2", "(nothing said)"));
  EXPECT_THAT(effects[0].num_made, ElementsAre(1, 1, 0));
}

}  // namespace
}  // namespace thallo
