#pragma once

// Chooses the points at which derivatives and programs are compared. A problem's start is too
// special: wrong derivatives can vanish there, because all angles are zero or all edges have their
// rest lengths. Points where a comparison or an abs is about to switch are avoided too, because
// float may decide differently than double there.

#include <cstdint>

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// Returns the binding with its finite unknowns moved at random. A number moves by up to 2 % of its
// magnitude. A number that is 0 except for rounding (at most 1e-6 of the largest in its field)
// moves by up to 0.2 % of that largest, or by up to 0.02 in a field that is all zero. A pose moves
// by a random step: shifts of up to 2 % of the largest coordinate in its field, angles of up to
// 0.02 radians.
Binding displaced(const Energy& energy, const Binding& binding, std::uint64_t seed);

// The smallest distance of a comparison or abs from its switching point in results of
// `displaced_off_switches`, relative to the largest term of its operands.
inline constexpr double SwitchMargin = 1e-3;

// Counts the points of residual groups and exclusions at which a comparison or abs is closer than
// `margin` to its switching point. Comparisons of data alone do not count: they have the same
// result in every precision.
std::int64_t num_near_switches(const Energy& energy, const Binding& binding,
                               double margin = SwitchMargin);

struct OffSwitches {
  Binding binding;
  std::int64_t num_near = 0;  // points that are still near a switch
};
// Returns a displaced binding with as few points near switches as possible. In each round, the
// unknowns that are read by points near a switch are drawn again, from a wider range than before,
// until no point is near one. After 12 rounds without progress, the binding with the fewest such
// points is returned: if every unknown is read by many points (a few poses by all pixels), some
// point is always near a switch.
OffSwitches displaced_off_switches(const Energy& energy, const Binding& binding,
                                   std::uint64_t seed);

}  // namespace thallo
