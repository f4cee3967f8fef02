// The user's choices about a solve. The names in texts (nIterations, q_tolerance ...) and the
// defaults are those published with the original system, so that scripts and papers carry over; the
// members are the same options in our spelling. Every real number is a double, even in a solve in
// float.
//
//   SolverOptions options;
//   options.solver = SolverKind::LevenbergMarquardt;
//   if (auto set = options.set("nIterations", "50"); !set) ...  // "--set nIterations=50"
//   if (auto valid = options.validate(); !valid) ...
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/kernel/preconditioner.h"
#include "core/linear/linear_solver.h"
#include "core/solve/iteration_options.h"

namespace thallo {

// "gn", "lm".
std::string_view to_string(SolverKind kind);

// What linear_solver and preconditioner can name: Thallo's own, or also what plugins provide.
struct SolverParts {
  const LinearSolverRegistry* linear_solvers = &own_linear_solvers();
  const PreconditionerRegistry* preconditioners = &own_preconditioners();
};

// With this value of linear_solver, solve_problem() chooses (core/problem/choose_linear_solver.h).
inline constexpr std::string_view AutoLinearSolver = "auto";

// With this value of eliminate, the space with the most unknowns is eliminated
// (core/problem/suit_program.h).
inline constexpr std::string_view AutoEliminated = "auto";

struct SolverOptions : IterationOptions {
  // The name of a linear solver (core/linear/linear_solver.h), or "auto". If empty ("unset" in
  // texts): pcg if options of pcg differ from their defaults, else auto. set() makes it pcg when an
  // option of pcg is set and this one is not.
  std::string linear_solver;
  // The name of one (core/kernel/preconditioner.h). If empty ("unset" in texts): jacobi, or none if
  // the energy says UsePreconditioner(false); block_jacobi for a linear solver that eliminates.
  std::string preconditioner;
  // Of a linear solver that eliminates unknowns: the name of one of the space, or "auto".
  std::string eliminate = std::string(AutoEliminated);

  // deterministic: every sum is added up in an order that neither threads nor a device's scheduling
  // change, and nothing is chosen by what was measured.
  bool is_deterministic = false;

  // The names that set() was called with.
  std::set<std::string, std::less<>> named = {};

  // Returns options for an energy that nobody has tuned: LM until the cost settles, with iteration
  // counts that leave the ending to the tolerances (docs/algorithms.md). The defaults above are the
  // published ones, ten steps of GN with ten PCG iterations each.
  static SolverOptions until_converged();

  // Sets an option by its published name. Fails for an unknown name (with the nearest one), for a
  // text that is not a value of the option, and for a value out of range; then nothing is changed.
  Expected<void> set(std::string_view name, std::string_view text, const SolverParts& parts = {});
  // True if the linear solver is left to be chosen.
  bool chooses_linear_solver() const;
  // Returns the named options that change nothing: those of pcg if the linear solver takes a
  // matrix, and those that only the other solver has.
  std::vector<std::string_view> named_in_vain(bool solves_directly) const;
  // True if any option of pcg differs from its default here.
  bool names_pcg() const;

  // Returns the value of an option as text that set() reads; "unset" if it has none. Throws
  // InternalError for an unknown name.
  std::string text(std::string_view name) const;

  // Fails with all faults, one per line: "SolverOptions: nIterations = -1, must be >= 0".
  Expected<void> validate() const;

  // Compares the choices, not which of them were named.
  friend bool operator==(const SolverOptions& a, const SolverOptions& b);
};

// Settings with which steps are those of the published systems: PCG finds them, and none is halved
// or made longer.
inline constexpr std::pair<std::string_view, std::string_view> PublishedSteps[] = {
    {"linear_solver", "pcg"},
    {"max_step_halvings", "0"},
    {"max_step_lengthening", "1"},
    {"max_radius_growth", "3"}};

struct SolverOptionInfo {
  std::string_view name;
  std::string doc;
  std::string legal;  // "gn, lm", "integer from 0 to 2147483647", "number > 0"
};
// Returns every option, in the order in which they are documented.
std::vector<SolverOptionInfo> solver_option_infos(const SolverParts& parts = {});

}  // namespace thallo
