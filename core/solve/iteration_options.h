// The numbers that a user can choose for a solve: how many iterations, when it ends, how steps are
// damped. SolverOptions (core/solve/options.h) adds what a program is made of.
#pragma once

#include <optional>

#include "core/kernel/phase.h"

namespace thallo {

struct IterationOptions {
  SolverKind solver = SolverKind::GaussNewton;

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
};

}  // namespace thallo
