// Prints an energy for people: its declarations and its terms (`thallo print energy`), and the
// intermediates found in it (`thallo print found`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/energy/energy.h"
#include "core/energy/found/intermediates.h"
#include "core/ir/print.h"

namespace thallo {

// Returns the names that an energy gives to its fields, maps and dims. The result refers to the
// energy.
ExprNames names_of(const Energy& energy);
ExprNames names_of(const Energy::Data& data);

// Returns for example "array y(N), 2 channels" or "unknown m(N), in [0, inf]".
std::string declaration_text(const Energy& energy, const Field& field);

// One line "  name = ..." for each value, numbered "  name[0] = ..." where there are several. What
// they share is printed before them, as t0, t1 ...
std::string values_text(ExprPrinter printer, const std::vector<ExprId>& values,
                        std::string_view name);

// Subexpressions that several residuals of a group share are printed once, as t0, t1 ...
std::string to_string(const Energy& energy);

// Prints the intermediates found in an energy: where each is read, its values and, if it is not
// among the sites, the reason.
std::string to_string(const FoundIntermediates& found, FoundSites sites);

}  // namespace thallo
