#include "gui/models/effect_size.h"

#include <algorithm>

#include <boost/math/special_functions/beta.hpp>

namespace thallo::gui {
namespace {

// Returns the probability that a value of the F distribution is at least `f`, for the degrees of
// freedom between groups and within them.
double tailOfF(double f, double between, double within) {
  return boost::math::ibeta(within / 2, between / 2, within / (within + between * f));
}

}  // namespace

GroupSums& GroupSums::operator+=(const GroupSums& other) {
  count += other.count;
  sum += other.sum;
  squares += other.squares;
  return *this;
}

GroupSums& GroupSums::operator-=(const GroupSums& other) {
  count -= other.count;
  sum -= other.sum;
  squares -= other.squares;
  return *this;
}

EffectSize effectSize(std::span<const GroupSums> groups, double numSpent) {
  EffectSize size;
  GroupSums all;
  double ofGroups = 0;
  for (const GroupSums& group : groups) {
    if (!(group.count > 0)) continue;
    ++size.numGroups;
    all += group;
    ofGroups += group.sum * group.sum / group.count;
  }
  size.numValues = static_cast<std::size_t>(all.count);
  if (size.numGroups < 2) return size;
  const double freeBetween = static_cast<double>(size.numGroups - 1);
  const double freeWithin = all.count - static_cast<double>(size.numGroups) - numSpent;
  const double ofAll = all.sum * all.sum / all.count;
  // Rounding errors do not count as variance.
  const double least = 1e-12 * all.squares;
  const double total = all.squares - ofAll;
  if (!(total > least)) return size;
  size.variance = total;
  if (!(freeWithin > 0)) return size;
  const double between = std::clamp(ofGroups - ofAll, 0.0, total);
  const double within = total - between > least ? total - between : 0;
  const double noise = within / freeWithin;
  size.omegaSquared = std::clamp((between - freeBetween * noise) / (total + noise), 0.0, 1.0);
  size.chance = noise > 0 ? tailOfF(between / freeBetween / noise, freeBetween, freeWithin) : 0;
  return size;
}

}  // namespace thallo::gui
