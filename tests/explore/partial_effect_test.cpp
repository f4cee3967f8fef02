#include "core/explore/report/partial_effect.h"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace thallo {
namespace {

// Values 0, 1, 3: of the levels {0, 1} and {3} the sum between is 25/6, and 1/2 is left for one
// degree of freedom. The F of 1 and 1 degrees is the square of Cauchy's.
TEST(PartialEffects, AreOmegaSquaredWhereThereIsNothingElse) {
  const PartialEffect effect = partial_effect(std::vector{0.0, 1.0, 3.0}, {0, 0, 1}, {});
  EXPECT_NEAR(effect.explained, 22.0 / 31, 1e-12);
  EXPECT_NEAR(effect.chance, 1 - 2 / std::numbers::pi * std::atan(std::sqrt(25.0 / 3)), 1e-12);
  EXPECT_EQ(effect.num_free, 1u);
}

// The second feature agrees with the first nine times of ten, and does nothing.
TEST(PartialEffects, TellACauseFromWhatIsCorrelatedWithIt) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.1);
  std::vector<double> values;
  Levels cause, companion;
  for (std::uint32_t i = 0; i < 200; ++i) {
    cause.push_back(i % 2);
    companion.push_back(i % 10 == 0 ? 1 - i % 2 : i % 2);
    values.push_back(noise(random) + i % 2);
  }
  const Levels* const cause_alone[] = {&cause};
  const Levels* const companion_alone[] = {&companion};
  EXPECT_GT(partial_effect(values, companion, {}).explained, 0.5);
  EXPECT_LT(partial_effect(values, companion, cause_alone).explained, 0.01);
  EXPECT_GT(partial_effect(values, companion, cause_alone).chance, 0.01);
  EXPECT_GT(partial_effect(values, cause, companion_alone).explained, 0.2);
  EXPECT_LT(partial_effect(values, cause, companion_alone).chance, 1e-9);
}

TEST(PartialEffects, LeaveNothingToWhatTheOthersDetermine) {
  const std::vector values = {0.0, 0.1, 1.0, 1.1, 2.0, 2.1};
  const Levels fine = {0, 0, 1, 1, 2, 2}, coarse = {0, 0, 0, 0, 1, 1};
  const Levels* const others[] = {&fine};
  const PartialEffect effect = partial_effect(values, coarse, others);
  EXPECT_EQ(effect.num_free, 0u);
  EXPECT_DOUBLE_EQ(effect.explained, 0);
  EXPECT_DOUBLE_EQ(effect.chance, 1);
}

// The values without the feature are far off; they say nothing of what it does.
TEST(PartialEffects, CompareOnlyValuesThatHaveTheFeature) {
  const std::vector values = {0.0, 0.1, 1.0, 1.1, 50.0, 70.0};
  const PartialEffect effect = partial_effect(values, {0, 0, 1, 1, NoLevel, NoLevel}, {});
  // 1 between; 0.01 is left for two degrees of freedom.
  EXPECT_NEAR(effect.explained, (1 - 0.005) / (1.01 + 0.005), 1e-12);
}

}  // namespace
}  // namespace thallo
