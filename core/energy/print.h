// An energy as people read it: declarations, then what is minimized (`thallo print energy`), and
// its graph for the `dot` program (`thallo print dag`).
#pragma once

#include <string>

#include "core/energy/energy.h"
#include "core/energy/found/intermediates.h"
#include "core/ir/print.h"

namespace thallo {

// The names an energy gives to its fields, maps and dims. Refers to it.
ExprNames names_of(const Energy& energy);

// Subexpressions that several residuals of a group share are printed once, as t0, t1 ...
std::string to_string(const Energy& energy);

// What is found in an energy, how it is read and, of what is no site, why.
std::string to_string(const FoundIntermediates& found, FoundSites sites);

// One node an expression, in Graphviz format: leaves at the bottom, residuals at the top. Accesses
// of unknowns are drawn bold.
std::string to_dot(const Energy& energy);

}  // namespace thallo
