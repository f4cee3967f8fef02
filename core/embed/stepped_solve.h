// A solve of an EnergySolver that its program steps through. It keeps the data that the backend
// has, so that a step uploads no more than what the program has changed in its arrays.
#pragma once

#include "core/base/diagnostic.h"
#include "core/embed/bound_arrays.h"
#include "core/problem/instance_solver.h"
#include "core/problem/problem.h"
#include "core/solve/minimizer.h"

namespace thallo {

class SteppedSolve {
 public:
  // Takes the minimizer that `solver` has begun for the instance. `energy`, `arrays` and `solver`
  // must outlive this object.
  SteppedSolve(const Energy& energy, const BoundArrays& arrays, InstanceSolver& solver,
               Instance instance, Minimizer minimizer);

  // Reads the arrays, makes an iteration and writes the unknowns, as EnergySolver::step().
  Expected<bool> step();
  Expected<double> cost();
  SolverSummary finish();

  // True if the backend lacks data after a fault, so that the solve cannot go on.
  bool is_broken() const { return is_broken_; }
  const Instance& instance() const { return instance_; }

 private:
  Expected<void> upload_changes();

  const Energy& energy_;
  const BoundArrays& arrays_;
  InstanceSolver& solver_;
  Instance instance_;  // with the data that the backend has
  Minimizer minimizer_;
  bool is_broken_ = false;
};

}  // namespace thallo
