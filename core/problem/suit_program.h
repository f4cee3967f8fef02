// What a program is made with beyond the solver options, which depends on the energy.
#pragma once

#include <cstdint>

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/kernel/lower.h"
#include "core/solve/options.h"

namespace thallo {

// Fails if options.eliminate names no unknown of the energy.
Expected<void> check_eliminate(const Energy& energy, const SolverOptions& options);

// Sets program.eliminated if its linear solver eliminates unknowns: to the unknown that
// options.eliminate names, or of those that can be eliminated to one of the space with the most
// unknown scalars. Fails for what solves no members of a batch, where there is one. Fails if
// check_eliminate() does, if there is none, if the named one cannot be
// eliminated, if a solver that takes a matrix cannot keep the others, and for a preconditioner that
// such a solver has not or the energy cannot have; the message says why.
Expected<void> suit_program(const Energy& energy, const Binding& binding,
                            const SolverOptions& options, ProgramOptions& program);

// Returns the number of unknown scalars over the dims of an unknown.
std::int64_t size_of_space(const Energy& energy, const Binding& binding, FieldId unknown);

}  // namespace thallo
