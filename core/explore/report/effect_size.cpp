#include "core/explore/report/effect_size.h"

#include <algorithm>

#include <boost/math/special_functions/beta.hpp>

namespace thallo {
namespace {

// That a value of the F distribution is at least so large; of degrees of freedom between groups and
// within them.
double tail_of_f(double f, double between, double within) {
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

EffectSize effect_size(std::span<const GroupSums> groups) {
  EffectSize size;
  GroupSums all;
  double of_groups = 0;
  for (const GroupSums& group : groups) {
    if (!(group.count > 0)) continue;
    ++size.num_groups;
    all += group;
    of_groups += group.sum * group.sum / group.count;
  }
  size.num_values = static_cast<std::size_t>(all.count);
  if (size.num_groups < 2) return size;
  const double free_between = static_cast<double>(size.num_groups - 1);
  const double free_within = all.count - static_cast<double>(size.num_groups);
  const double of_all = all.sum * all.sum / all.count;
  // What is left of rounding is no variance.
  const double least = 1e-12 * all.squares;
  const double total = all.squares - of_all;
  if (!(total > least)) return size;
  if (!(free_within > 0)) return size;
  const double between = std::clamp(of_groups - of_all, 0.0, total);
  const double within = total - between > least ? total - between : 0;
  const double noise = within / free_within;
  size.omega_squared = std::clamp((between - free_between * noise) / (total + noise), 0.0, 1.0);
  size.chance =
      noise > 0 ? tail_of_f(between / free_between / noise, free_between, free_within) : 0;
  return size;
}

}  // namespace thallo
