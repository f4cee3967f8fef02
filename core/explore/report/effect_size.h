#pragma once

// Analyzes how much of the differences between values is explained by the groups that they belong
// to.

#include <cstddef>
#include <span>

namespace thallo {

// The sums over the values of a group that the analysis needs.
struct GroupSums {
  double count = 0, sum = 0, squares = 0;

  void add(double value) { *this += {1, value, value * value}; }
  GroupSums& operator+=(const GroupSums& other);
  GroupSums& operator-=(const GroupSums& other);
};

// One-way analysis of variance.
struct EffectSize {
  // Omega squared, the share of the variance that the groups explain. In a sample, even random
  // groups explain some share, which grows with their number (eta squared includes it). Omega
  // squared corrects for that, and is 0 if nothing remains.
  double omega_squared = 0;
  // The probability that noise alone makes groups differ as much (F test); 1 if the test is not
  // possible.
  double chance = 1;
  std::size_t num_values = 0;
  std::size_t num_groups = 0;  // groups that have values
};
EffectSize effect_size(std::span<const GroupSums> groups);

}  // namespace thallo
