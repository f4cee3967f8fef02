// Prints an energy for people: its declarations and what is minimized (`thallo print energy`), what
// is found in it (`thallo print found`), and its graph for the `dot` program (`thallo print dag`).
#pragma once

#include <string>

#include "core/energy/energy.h"
#include "core/energy/found/intermediates.h"
#include "core/ir/print.h"

namespace thallo {

// The names an energy gives to its fields, maps and dims. The result refers to the energy.
ExprNames names_of(const Energy& energy);

// Subexpressions that several residuals of a group share are printed once, as t0, t1 ...
std::string to_string(const Energy& energy);

// The intermediates that are found in an energy: where each is read, its values and, if it is not
// among the sites, why.
std::string to_string(const FoundIntermediates& found, FoundSites sites);

// The expression graph in Graphviz format: leaves at the bottom, residuals at the top. Accesses of
// unknowns are drawn bold.
std::string to_dot(const Energy& energy);

}  // namespace thallo
