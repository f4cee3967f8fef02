#pragma once

// The solver's vectors, each with one scalar per unknown scalar, or those of a Schur complement per
// unknown scalar that is not eliminated. They live on the device; a program has those that its
// solver, preconditioner and linear solver need. docs/algorithms.md has the formulas.

#include <cstddef>
#include <string_view>

namespace thallo {

// ROW(Name, text, doc)
#define THALLO_FOR_EACH_SOLVER_VECTOR(ROW)                                                         \
  ROW(B, "b", "-JtF")                                                                              \
  ROW(D, "d", "the diagonal of JtJ")                                                               \
  ROW(X, "x", "the step delta")                                                                    \
  ROW(R, "r", "b - (JtJ + D) x")                                                                   \
  ROW(Z, "z", "M^-1 r; absent without preconditioner, where r is used in its place")               \
  ROW(P, "p", "the direction of PCG")                                                              \
  ROW(Ap, "Ap", "(JtJ + D) p")                                                                     \
  ROW(InverseDiagonal, "inverse_diagonal", "jacobi preconditioner, or 1; 0 where excluded")        \
  ROW(Damping, "damping", "D, for Levenberg-Marquardt only")                                       \
  ROW(Scale, "scale", "s = (l + sqrt d0)^2, l = min(1, |F|), for Levenberg-Marquardt only")        \
  ROW(ReducedB, "reduced_b", "the r at the start, of LM only, where it is not b or not in double") \
  ROW(Move, "move", "of unknowns with bounds: the step within them")                               \
  ROW(KeptB, "kept_b", "of a Schur complement that is formed: its right-hand side")                \
  ROW(KeptX, "kept_x", "its solution")                                                             \
  ROW(KeptFree, "kept_free", "0 where excluded, else positive")

enum class SolverVector {
#define THALLO_SOLVER_VECTOR_ENUMERATOR(name, text, doc) name,
  THALLO_FOR_EACH_SOLVER_VECTOR(THALLO_SOLVER_VECTOR_ENUMERATOR)
#undef THALLO_SOLVER_VECTOR_ENUMERATOR
};

constexpr bool is_of_kept(SolverVector vector) {
  return vector == SolverVector::KeptB || vector == SolverVector::KeptX ||
         vector == SolverVector::KeptFree;
}

// Returns the name of its buffer: "inverse_diagonal".
constexpr std::string_view to_string(SolverVector vector) {
  constexpr std::string_view Names[] = {
#define THALLO_SOLVER_VECTOR_NAME(name, text, doc) text,
      THALLO_FOR_EACH_SOLVER_VECTOR(THALLO_SOLVER_VECTOR_NAME)
#undef THALLO_SOLVER_VECTOR_NAME
  };
  return Names[static_cast<std::size_t>(vector)];
}

}  // namespace thallo
