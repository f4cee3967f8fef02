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

struct SolverOptions {
  SolverKind solver = SolverKind::GaussNewton;
  // The name of a linear solver (core/linear/linear_solver.h), or "auto". If empty ("unset" in
  // texts): pcg if options of pcg differ from their defaults, else auto. set() makes it pcg when an
  // option of pcg is set and this one is not.
  std::string linear_solver;
  // The name of one (core/kernel/preconditioner.h). If empty ("unset" in texts): jacobi, or none if
  // the energy says UsePreconditioner(false); block_jacobi for a linear solver that eliminates.
  std::string preconditioner;
  // Of a linear solver that eliminates unknowns: the name of one of the space, or "auto".
  std::string eliminate = std::string(AutoEliminated);

  int num_iterations = 10;         // nIterations; in LM rejected steps count too
  int num_linear_iterations = 10;  // lIterations: PCG iterations per nonlinear iteration

  // LM with a solver that takes the Schur complement: its first steps are found by pcg, until one
  // takes so many linear iterations, which are the most. 0: none is. Unset: as many as pay
  // (InstanceCase::loose_iterations).
  std::optional<int> loose_iterations;

  // The stopping tests of the nonlinear iterations.
  //
  // |cost change| <= tolerance * cost before. Unset: 1e-6 in LM, no test in GN, so that published
  // iteration counts run in full. 0 is a test too: it stops when the cost does not change at all.
  std::optional<double> function_tolerance;
  // The other tests are off if they are 0. The gradient's is that of the cosine between residuals
  // and each column J_j of J: |JtF|_j <= tolerance * |J_j| sqrt(2 cost), for all j.
  double gradient_tolerance = 0;
  double parameter_tolerance = 0;         // |delta| <= tolerance * (|x| + tolerance)
  double max_solver_time_in_seconds = 0;  // also tested within linear solves

  // Inner stopping tests (PCG); 0 switches one off.
  double q_tolerance = 1e-4;       // LM: relative decrease of the quadratic model
  double residual_tolerance = 0;   // |r| <= tolerance * |b|, r of the recurrence; at least 1e-15
  int residual_reset_period = 10;  // LM: recompute r = b - A x every so many iterations; 0 = never

  // GN: a step that raises the cost is halved up to this many times, until it no longer does. 0
  // accepts every step, as published; then a solve with a stopping test ends at its best point.
  int max_step_halvings = 20;
  // LM: a step that lowers the cost by much more than the model promised is made longer, up to this
  // many times as long, if that lowers it further; 1 takes steps as they are, as published.
  double max_step_lengthening = 2;

  // Trust region (LM).
  double trust_region_radius = 1e4;  // at the start of every solve
  double min_trust_region_radius = 1e-32;
  double max_trust_region_radius = 1e16;
  // By how much the radius grows after a step that changes the cost exactly as promised, as those
  // of linear problems do, which damping only delays; 3, the growth after other good steps, is as
  // published.
  double max_radius_growth = 100;
  double radius_decrease_factor = 2;  // at a rejection; doubles with each further one in a row
  double min_relative_decrease = 1e-3;
  double min_lm_diagonal = 1e-6;
  double max_lm_diagonal = 1e32;

  // deterministic: every sum is added up in an order that neither threads nor a device's scheduling
  // change, and nothing is chosen by what was measured.
  bool is_deterministic = false;

  // The names that set() was called with.
  std::set<std::string, std::less<>> named = {};

  // Returns options for an energy that nobody has tuned: LM until the cost settles, with iteration
  // counts that leave the ending to the tolerances (docs/algorithms.md). The defaults above are the
  // published ones, ten steps of GN with ten PCG iterations each.
  static SolverOptions until_converged();

  // True if a tolerance above 0 can end the solve. Then a cost of zero ends it, too, as far as
  // rounding lets anyone tell (stopping_tests.h).
  bool has_test() const;

  // True if a solve that ends above its best point goes back to it.
  bool keeps_best_point() const;

  // True if a tolerance can end the loop of an iterative linear solver before lIterations.
  bool pcg_has_test() const;

  // Returns function_tolerance or, if unset, its default for the solver; absent if there is no such
  // test.
  std::optional<double> effective_function_tolerance() const;

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
// Returns every option, in the order of the members above.
std::vector<SolverOptionInfo> solver_option_infos(const SolverParts& parts = {});

}  // namespace thallo
