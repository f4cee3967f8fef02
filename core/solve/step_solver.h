// What solves the linear system of each step: the linear loop, a direct solve, or the loop in the
// first steps, which are loose, and then a direct solve (docs/algorithms.md, "Loose steps").
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/backend/phase_runner.h"
#include "core/solve/iteration_options.h"
#include "core/solve/iteration_record.h"
#include "core/solve/program_traits.h"

namespace thallo {

class StepSolver {
 public:
  // `options` are those of suited_options().
  StepSolver(const ProgramTraits& program, const IterationOptions& options);

  // Chooses for the step behind `last`. It is not loose any more if that took as many iterations as
  // pay, if all together took what an exact step costs, or if it lowered the cost by little.
  void choose(const IterationRecord& last);
  // Adds the phases that solve to those before it, for the states of those that take a step.
  // Returns the loop, if it is one.
  std::optional<LinearLoop> begin(std::vector<Phase>& before, std::span<SolverState> states,
                                  std::function<bool()> is_interrupted) const;

  // Returns that loop; nothing if none solves.
  std::optional<LinearLoop> loop(std::function<bool()> is_interrupted) const;

  // Of the next step, or once it was found, of that.
  bool solves_directly() const { return has_direct_solve_ && !is_loose_; }
  bool is_loose() const { return is_loose_; }
  // False if nothing solves: pcg may make no iteration.
  bool solves() const { return solves_directly() || max_iterations_ > 0; }

 private:
  bool has_direct_solve_;
  int max_iterations_;  // of the loop
  int reset_period_;
  bool is_loose_;
  int rest_;  // iterations that loose steps may still take together
};

}  // namespace thallo
