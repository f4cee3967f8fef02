// Writes an energy as a text of the language, from which load_energy() makes the same energy again:
// for energies that a program has made. It is a text to read: loop variables and shared
// subexpressions have names.
//
//   local W, H = Dims("W", "H")
//   Inputs {
//     A = Unknown(float, {W, H}),
//     ...
//   }
//   local w, h = W(), H()
//   local residuals = {}
//   residuals.fit = A(w, h) - I(w, h)
//   local r = Residuals(residuals)
//
// Groups of residuals come back sorted by name. The names of Sums and of subexpressions are not
// kept, and a dim of the edges of a graph gets a slot among the dims.
#pragma once

#include <string>

#include "core/base/diagnostic.h"
#include "core/energy/energy.h"
#include "core/frontend/energy_file.h"

namespace thallo {

// Which inputs a text declares: those that something reads and all unknowns, or all.
enum class WrittenInputs { Read, All };

// Fails if the language has no way to say it: a type with so many channels, an exclusion that is
// over the same dim twice, a group over a loop variable that none of its residuals reads (they were
// constant), more than 150 loop variables and intermediates.
Expected<std::string> energy_text(const Energy& energy, const SolverDefaults& defaults = {},
                                  WrittenInputs inputs = WrittenInputs::Read);

}  // namespace thallo
