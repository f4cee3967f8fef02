// A problem that a solver was made for: the instance, whose arrays are bound, and the solves so
// far.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/diagnostic.h"
#include "core/c/thallo.h"
#include "core/embed/energy_solver.h"
#include "core/problem/problem.h"

namespace thallo::c_api {

class ProblemRun {
 public:
  // Makes an instance. Takes the options as texts, which must not be NULL.
  static Expected<ProblemRun> make(const std::string& problem, const thallo_option* options,
                                   std::size_t count);

  // Returns a solver of the problem's energy to which all of the instance is bound. `options` leave
  // the precision to the instance if they name none.
  EnergySolver make_solver(EnergySolverOptions options);
  // Returns what the instance has under the name of an input.
  Expected<thallo_value> value(const Energy& energy, const std::string& name);
  // Prepares the next solve with the data that `solver` has, and binds the new data; returns false
  // if there is none.
  Expected<bool> advance(EnergySolver& solver, const SolverSummary& solved);

  const SolverOptions& solver_options() const { return instance_.solver; }

 private:
  ProblemRun(const Problem& problem, EnergyFile file, Instance instance)
      : problem_(&problem), file_(std::move(file)), instance_(std::move(instance)) {}

  void bind_all(EnergySolver& solver);

  const Problem* problem_;
  std::optional<EnergyFile> file_;  // until a solver is made of it
  Instance instance_;
  Solution solution_;
};

}  // namespace thallo::c_api
