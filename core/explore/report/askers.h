#pragma once

// Finds the directives of a schedule that asked for a thing: a kernel, a step or a buffer of its
// program. A directive asked for a thing if removing it removes the thing. If several would each
// suffice, all are credited.
//
// Example: two parts store their JtJ in one dense matrix.
//
//   r.fit:strategy("[JtJ]p")       r.fit.JtJ:storage("dense")
//   r.shading:strategy("[JtJ]p")   r.shading.JtJ:storage("dense")
//
// The kernel that adds fit's share to the matrix disappears if either directive of the first line
// is removed, so these two asked for it. The product of the matrix with p stays whichever of the
// four is removed, since the other part still stores the matrix. Each line alone would suffice for
// the product, so all four directives are credited.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/schedule/schedule.h"

namespace thallo {

// The names of all things that a plan makes. A name may occur several times: the first, second, ...
// thing of a name in one plan is the first, second, ... of it in another.
using ThingsOf = std::function<std::vector<std::string>(const Plan& plan)>;

// For each thing that the schedule's plan makes, in the order of `things_of`: the directives that
// asked for it, as ascending indices into schedule.directives(). The list is empty when the default
// schedule makes the thing too. The schedule must be legal.
std::vector<std::vector<std::size_t>> find_askers(const Energy& energy, const Schedule& schedule,
                                                  const ConstructRegistry& constructs,
                                                  const ThingsOf& things_of);

}  // namespace thallo
