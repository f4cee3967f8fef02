// Chooses the linear solver if the user names none: pcg, schur_pcg, dense, or one that factors a
// sparse JtJ.
// The choice depends on the number of unknowns and the pattern of JtJ; nothing is compiled for it.
#pragma once

#include <optional>
#include <string>

#include "core/energy/binding.h"
#include "core/linear/linear_solver.h"
#include "core/solve/options.h"

namespace thallo {

struct LinearSolverChoice {
  const LinearSolver* solver = nullptr;
  std::string reason;  // "Gauss-Newton does not damp, and pcg copes with a singular JtJ"
};

// `options` must not name a linear solver. If the tables of JtJ would take more than `memory_limit`
// bytes, the choice is pcg. Only the solver of `solvers` that expects to factor JtJ soonest is
// considered.
LinearSolverChoice choose_linear_solver(const Energy& energy, const Binding& binding,
                                        const SolverOptions& options, std::int64_t memory_limit,
                                        const LinearSolverRegistry& solvers);

}  // namespace thallo
