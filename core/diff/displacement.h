#pragma once

// Chooses the points at which derivatives and programs are compared. A problem's start is too
// special for that: wrong derivatives can vanish there, because all angles are zero or all edges
// have their rest lengths. Points where a comparison or an abs is about to switch are avoided too,
// because float may decide there otherwise than double.

#include <cstdint>

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// The binding with its finite unknowns moved at random. A number moves by up to 2 % of its
// magnitude; one that is 0 but for rounding (at most 1e-6 of the largest of its field) by up to
// 0.2 % of that largest, and by up to 0.02 in a field that is all zero. A pose moves by a random
// step: shifts of up to 2 % of the largest coordinate of its field, angles of up to 0.02 radians.
Binding displaced(const Energy& energy, const Binding& binding, std::uint64_t seed);

// How close to its switching point a comparison or abs may be in what `displaced_off_switches`
// returns, relative to the largest term of its operands.
inline constexpr double SwitchMargin = 1e-3;

// The number of points of residual groups and exclusions at which a comparison or abs is closer
// than `margin` to its switching point. Comparisons of data alone do not count: they decide alike
// in every precision.
std::int64_t num_near_switches(const Energy& energy, const Binding& binding,
                               double margin = SwitchMargin);

struct OffSwitches {
  Binding binding;
  std::int64_t num_near = 0;  // points that are still near a switch
};
// A displaced binding with as few points near switches as can be had. In each round the unknowns
// that points near a switch read are drawn anew, from a wider range than in the round before, until
// no point is near one. After 12 rounds without progress the binding with the fewest such points is
// returned: where every unknown is read by many points (a few poses by all pixels), some point is
// always near a switch.
OffSwitches displaced_off_switches(const Energy& energy, const Binding& binding,
                                   std::uint64_t seed);

}  // namespace thallo
