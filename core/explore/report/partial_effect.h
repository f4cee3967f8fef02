#pragma once

// Tells how much of the differences between values a feature explains that other features do not.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thallo {

// Which of its levels each value has; NoLevel where the value has no such feature.
using Levels = std::vector<std::uint32_t>;
constexpr std::uint32_t NoLevel = static_cast<std::uint32_t>(-1);

struct PartialEffect {
  // The share of the variance of the values that goes with the feature alone, without the share
  // that so many levels have by chance (omega squared); 0 if nothing remains.
  double explained = 0;
  // The probability that noise alone makes its levels differ as much (partial F test); 1 if the
  // test is not possible.
  double chance = 1;
  // Levels that the other features leave free to differ; 0 if they determine the feature.
  std::size_t num_free = 0;
};

// Compares the linear models of the values by the levels of `others` with and without those of
// `feature`, among the values that have all of them. Takes the third power of the number of levels,
// and the second power of the number of features times the number of values.
PartialEffect partial_effect(std::span<const double> values, const Levels& feature,
                             std::span<const Levels* const> others);

}  // namespace thallo
