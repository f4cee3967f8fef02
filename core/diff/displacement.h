#pragma once

// Points to compare derivatives and programs at. Starts are special, wrong derivatives can vanish
// there: all angles zero, all edges as long as they should be. And where a comparison or an abs is
// about to switch, float may decide otherwise than double.

#include <cstdint>

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// The binding with its finite unknowns moved at random, by up to 2 % of their magnitude; those that
// are 0 but for rounding (1e-6 of the largest of their field) by up to 0.2 % of that largest (2 %
// of 1 in a field that is all zero).
Binding displaced(const Energy& energy, const Binding& binding, std::uint64_t seed);

// How close, relative to the largest term of its operands, a comparison or abs may come to where it
// switches in what `displaced_off_switches` returns.
inline constexpr double SwitchMargin = 1e-3;

// At how many points of residual groups and exclusions a comparison or abs of something that
// depends on unknowns is closer than `margin` to where it switches. (What is decided by data alone
// is decided alike in every precision: the data are what they are.)
std::int64_t num_near_switches(const Energy& energy, const Binding& binding,
                               double margin = SwitchMargin);

struct OffSwitches {
  Binding binding;
  std::int64_t num_near = 0;  // points that stayed near one whatever was drawn
};
// A displaced binding. The unknowns that points near a switch read are drawn anew, from farther
// away round by round, until there are no such points. After 12 rounds that brought nothing it is
// the binding that had the fewest: where every unknown is read by many points (a few poses by all
// pixels), some point is always near one.
OffSwitches displaced_off_switches(const Energy& energy, const Binding& binding,
                                   std::uint64_t seed);

}  // namespace thallo
