// The decisions of a solve by Gauss-Newton or Levenberg-Marquardt, each on what a trial point has
// left in the solver state: how long a step is, whether it is accepted, how the next one is damped,
// and which of them is the last (docs/algorithms.md). A solve has one descent, and a batch one for
// each member.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/solve/iteration_options.h"
#include "core/solve/iteration_record.h"
#include "core/solve/program_traits.h"
#include "core/solve/step_solver.h"
#include "core/solve/stopping_tests.h"
#include "core/solve/termination.h"
#include "core/solve/trial_step.h"
#include "core/solve/trust_region.h"

namespace thallo {

// What the descents of a solve have in common.
struct DescentRules {
  const ProgramTraits& program;
  const IterationOptions& asked;    // as the user chose them, for the tests
  const IterationOptions& options;  // those of suited_options()
  const StepSolver& step_solver;
  std::function<std::optional<Termination>()> interruption;
};

// What a solve has come to for one descent.
struct DescentReport {
  double initial_cost = 0, final_cost = 0;                      // 1/2 sum rho
  double initial_minimized_cost = 0, final_minimized_cost = 0;  // what steps minimize
  // With NoDecrease, what the model promised of the step that was refused.
  double refused_decrease = 0;
  double gradient_max = 0, gradient_cosine = 0;  // of the last linearization
  int num_iterations = 0;                        // accepted and rejected
  int num_accepted = 0;
  Termination termination = Termination::Cancelled;
  std::string cause;  // what is known beyond the termination; often empty
};

class Descent {
 public:
  // What became of the last step.
  enum class Step { None, Accepted, Rejected };

  // The rules must outlive it.
  explicit Descent(const DescentRules& rules);

  // Takes over the cost at X, where the solve starts. Returns false if it is not finite.
  bool start(SolverState& state);
  // Forgets what was known of the energy: the data have changed.
  void forget();
  double cost() const { return cost_; }                // what steps minimize, at X
  double energy_cost() const { return energy_cost_; }  // 1/2 sum rho there

  bool has_ended() const { return termination_.has_value(); }
  // Cancelled if it has not ended.
  Termination termination() const { return termination_.value_or(Termination::Cancelled); }
  void end(Termination why, std::string cause = {}) {
    termination_ = why;
    cause_ = std::move(cause);
  }

  // Begins an iteration. Ends instead if the cost is zero.
  void begin_iteration(const SolverState& state);
  bool is_linearized() const { return is_linearized_; }  // at X
  void linearize();
  // Looks at the trial point, that of the whole step or of the step times the factor that was
  // returned last. Returns the factor to try next; none once the iteration is decided, and with it
  // how the state's next step is damped.
  std::optional<double> look(SolverState& state);
  Step step() const { return outcome_; }
  // True if X, which the accepted step leaves, is the best point so far.
  bool leaves_best() const { return leaves_best_; }
  // True if no step since the linearization was other than zero, though there was to be one.
  bool lacks_step() const { return is_linearized_ && !(step_.is_finite() && step_.norm > 0); }
  // The record of the step, without what Minimizer knows.
  const IterationRecord& record() const { return record_; }

  // True if the solve has left its best point, to which it goes back.
  bool has_left_best() const { return kept_ && *kept_ < cost_; }
  void go_back(const SolverState& state) { read_cost(state); }

  DescentReport report() const;

 private:
  std::optional<double> look_undamped(SolverState& state);
  std::optional<double> look_damped(SolverState& state);
  bool gradient_is_small(const SolverState& state);
  bool linear_solve_failed(const SolverState& state) const;
  bool is_better(const SolverState& state) const;
  void accept(const SolverState& state);
  void reject(SolverState& state);
  void record_step(const SolverState& state, Step outcome);
  bool has_converged(const SolverState& state);
  bool ends_by_rejection(const SolverState& state);
  bool cost_is_zero(const SolverState& state);
  Termination why_radius_vanished(const SolverState& state) const;
  bool end_by(std::optional<Termination> why);
  void read_cost(const SolverState& state);
  bool is_damped() const { return rules_->options.solver == SolverKind::LevenbergMarquardt; }

  const DescentRules* rules_;
  StoppingTests tests_;
  TrustRegion trust_region_;       // of Levenberg-Marquardt
  TrialStep step_;                 // the last one
  std::optional<TrialStep> once_;  // the whole step, while other lengths of it are tried
  double factor_ = 1;              // of the step that is looked at
  int num_halvings_ = 0;           // of the step so far
  Step outcome_ = Step::None;
  IterationRecord record_;
  std::optional<Termination> termination_;
  std::string cause_;
  double cost_ = 0, energy_cost_ = 0, previous_cost_ = 0;
  double initial_cost_ = 0, initial_energy_cost_ = 0;
  double refused_decrease_ = 0;
  double gradient_max_ = 0, gradient_cosine_ = 0;
  int num_iterations_ = 0, num_accepted_ = 0;
  bool has_started_ = false;
  bool is_linearized_ = false;
  bool found_step_ = false;  // has a step since the linearization been other than zero?
  bool leaves_best_ = false;
  std::optional<double> kept_;  // what steps minimize at the kept point
};

}  // namespace thallo
