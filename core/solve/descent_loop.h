// The iterations of a solve: runs the phases that its descent asks for. The descents of a batch
// make their iterations side by side. Each phase runs for all of them at once, and the states say
// which take part.
//
//   DescentLoop loop(runner, program, options, interruption);
//   if (!loop.start()) ...
//   IterationRecord last = loop.record_of_start();
//   while (loop.can_continue(last.iteration))
//     if (loop.iterate(last)) last = loop.record();
//   loop.run_waiting();
//   loop.go_back();
//
// Minimizer does this, and what a program can do between iterations; so do exported solvers
// (core/export).
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/backend/phase_runner.h"
#include "core/solve/descent.h"
#include "core/solve/iteration_options.h"
#include "core/solve/iteration_record.h"
#include "core/solve/program_traits.h"
#include "core/solve/step_solver.h"
#include "core/solve/termination.h"

namespace thallo {

class DescentLoop {
 public:
  // Returns why to stop although there is work left, or nothing. Also called within linear loops.
  using Interruption = std::function<std::optional<Termination>()>;

  // The runner must outlive it.
  DescentLoop(PhaseRunner& runner, const ProgramTraits& program, const IterationOptions& asked,
              Interruption interruption);
  DescentLoop(const DescentLoop&) = delete;
  DescentLoop& operator=(const DescentLoop&) = delete;

  const ProgramTraits& program() const { return program_; }
  const std::vector<Descent>& descents() const { return descents_; }

  // Hands the runner the options, makes the masks and computes the cost at the current unknowns.
  // Returns false if that is not finite; of a batch such members end.
  bool start();
  // Does so after the data have changed: forgets what was known of the energy before.
  bool start_again();
  IterationRecord record_of_start() const;
  // Returns the most that bounds have moved the start, after start(); not finite if they are empty.
  double start_move() const;

  // Returns false, and says why, if there is no further iteration to make.
  bool can_continue(int num_iterations);
  // Makes an iteration; `last` is the record of the one before. Its acceptance may wait for the
  // next one. Returns false if it made no step, and the solve ends.
  bool iterate(const IterationRecord& last);
  // Whether iterate() may make more iterations of a batch than one, where a device makes them by
  // itself: then the unknowns are those behind the last of them. If not, they follow record().
  void may_run_ahead(bool may) { may_run_ahead_ = may; }
  // Returns the record of the iteration that was made last, without its times. Of a batch it is
  // that of all steps together.
  IterationRecord record() const;
  // Must be called before anyone else may look at the unknowns.
  void run_waiting();

  // Ends what has not ended yet; `cause` is what is known beyond that.
  void end_all(Termination why, const std::string& cause = {});
  // Ends the descents that have no step since their linearization, for this cause.
  void blame(Termination why, const std::string& cause);
  bool lacks_step() const;
  // Returns the cause that the last of them gave; often empty.
  const std::string& cause() const { return cause_; }
  // Goes to the best point, if the solve left it. Returns the minimized cost that it leaves for it.
  std::optional<double> go_back();
  // Looks at the cost again, after a failure that may have left out what was to be taken over.
  void look_again();

  // Returns the sum over all descents; of a batch only what is finite counts.
  template <class Number>
  double total(Number number) const {
    double sum = 0;
    for (const Descent& descent : descents_) {
      const double value = number(descent);
      if (std::isfinite(value) || !program_.has_members) sum += value;
    }
    return sum;
  }
  double total_cost() const {
    return total([](const Descent& descent) { return descent.energy_cost(); });
  }

 private:
  // Asks whether to stop, and tells the descents.
  bool ask_for_interruption();
  bool is_going() const;
  void find_going();
  void run_batch(const Batch& batch);
  void linearize();
  void find_step();
  bool iterate_members(const IterationRecord& last);
  void evaluate_trial(std::optional<LinearLoop> loop = {});
  void take_over();
  template <class IsChosen>
  bool copy(Phase phase, IsChosen is_chosen);
  IterationRecord record_of_batch() const;

  PhaseRunner& runner_;
  ProgramTraits program_;
  IterationOptions asked_, options_;
  Interruption interruption_;
  bool has_scale_ = false;

  // As last read, with what the host has changed since; the next batch writes them.
  std::vector<SolverState> states_;
  // Of descents_: those that had not ended when the iteration began, and those whose states the
  // next batch writes.
  std::vector<std::size_t> going_, touched_;
  // Phases that begin the next batch. Between iterations it is the acceptance of the step.
  std::vector<Phase> waiting_;

  StepSolver step_solver_;
  DescentRules rules_;
  std::vector<Descent> descents_;  // of the members of a batch, or the only one
  std::string cause_;

  // Of a batch whose members the device decides for: the records of iterations that were made, and
  // how many of them iterate() has told of.
  std::vector<IterationRecord> ahead_;
  std::size_t num_told_ = 0;
  bool may_run_ahead_ = false;
  bool device_decides_ = true;  // until it is asked to and cannot
};

}  // namespace thallo
