// A solve of an EnergySolver that its program steps through. It keeps the data that the backend
// has, so that a step uploads no more than what the program has changed in its arrays.
#pragma once

#include <cstdint>
#include <map>

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
  // `devices` is null if the backend computes on the host.
  SteppedSolve(const Energy& energy, BoundArrays& arrays, DeviceArrays* devices,
               InstanceSolver& solver, Instance instance, Minimizer minimizer);

  // Reads the arrays, makes an iteration and writes the unknowns, as EnergySolver::step().
  Expected<bool> step();
  Expected<double> cost();
  // Writes the unknowns of the last iteration into their arrays.
  void write_unknowns();
  SolverSummary finish();

  // True if the backend lacks data after a fault, so that the solve cannot go on.
  bool is_broken() const { return is_broken_; }
  const Instance& instance() const { return instance_; }

 private:
  Expected<void> upload_changes();
  bool has_changed(FieldId field, const Binding& now) const;
  void remember_fingerprints();

  const Energy& energy_;
  BoundArrays& arrays_;
  DeviceArrays* devices_;
  InstanceSolver& solver_;
  Instance instance_;  // with the data that the backend has
  Minimizer minimizer_;
  std::map<FieldId, std::uint64_t> fingerprints_;  // of the fields on a device
  bool is_broken_ = false;
};

}  // namespace thallo
