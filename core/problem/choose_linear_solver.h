// Chooses the linear solver, and its preconditioner, if the user leaves them open: those with which
// the answer is expected soonest. Each says what it expects of the systems (LinearSolver::outlook),
// and a cost model what its program takes on the device, under the default schedule or with J
// stored, whichever is sooner. Nothing is compiled for it, and nothing is tried.
#pragma once

#include <functional>
#include <string>

#include "core/cost/device/device_spec.h"
#include "core/cost/model/cost_model.h"
#include "core/energy/binding.h"
#include "core/kernel/lower.h"
#include "core/linear/linear_solver.h"
#include "core/problem/sampled_rows.h"
#include "core/solve/options.h"

namespace thallo {

struct LinearSolverChoice {
  const LinearSolver* solver = nullptr;
  std::string preconditioner;    // "" for the one by default
  std::string reason;            // "Gauss-Newton does not damp, and pcg copes with a singular JtJ"
  double linear_iterations = 0;  // that a step is expected to take
  bool outgrows_float = false;   // True if float is too coarse for its linear loop.
};

// What is chosen for, and among.
struct LinearSolverQuestion {
  const Energy& energy;
  const Binding& binding;
  const SolverOptions& options;  // name no linear solver
  const SampledRows& rows;       // of the data
  const SolverParts& parts;
  // Returns the options of the program that would be made with the linear solver and the
  // preconditioner that these options name.
  std::function<ProgramOptions(const SolverOptions&)> program;
  std::int64_t memory_limit;  // bytes of tables
  const CostModel& model;
  // Returns the spec of the device; called only if there is something to compare. Without one, what
  // is read of the systems counts alone.
  std::function<Expected<DeviceSpec>()> device;
};

LinearSolverChoice choose_linear_solver(const LinearSolverQuestion& question);

}  // namespace thallo
