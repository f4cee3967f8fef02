// Chooses the linear solver of a solve that names none: pcg, dense, or one that factors a sparse
// JtJ. It does so without compiling anything, by the number of unknowns and the pattern of JtJ.
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

// `options` leave the linear solver open. The tables of JtJ take at most `memory_limit` bytes, or
// it is pcg. Of `solvers` the one that expects to factor JtJ soonest is considered.
LinearSolverChoice choose_linear_solver(const Energy& energy, const Binding& binding,
                                        const SolverOptions& options, std::int64_t memory_limit,
                                        const LinearSolverRegistry& solvers);

}  // namespace thallo
