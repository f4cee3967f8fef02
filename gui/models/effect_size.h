// How much of the differences between values goes with the groups that they are in.
#pragma once

#include <cstddef>
#include <span>

namespace thallo::gui {

// What the analysis needs of the values of a group.
struct GroupSums {
  double count = 0, sum = 0, squares = 0;

  void add(double value) { *this += {1, value, value * value}; }
  GroupSums& operator+=(const GroupSums& other);
  GroupSums& operator-=(const GroupSums& other);
};

// One-way analysis of variance.
struct EffectSize {
  double variance = 0;  // the sum of squares around the mean of all values
  // Omega squared, the share of the variance that the groups explain. Groups of noise explain a
  // share in a sample, too, and the more the more groups there are (eta squared): this is without
  // it, and 0 where nothing is left.
  double omegaSquared = 0;
  // How likely noise alone makes groups that differ as much: the F test. 1 where
  // nothing can be said.
  double chance = 1;
  std::size_t numValues = 0;
  std::size_t numGroups = 0;  // that have values
};
// `numSpent` degrees of freedom are not there any more, since the means of other groups were taken
// off the values.
EffectSize effectSize(std::span<const GroupSums> groups, double numSpent = 0);

}  // namespace thallo::gui
