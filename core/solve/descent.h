// The decisions of a solve by Gauss-Newton or Levenberg-Marquardt, each on what a trial point has
// left in the solver state: how long a step is, whether it is accepted, how the next one is damped,
// and which of them is the last (docs/algorithms.md). A solve has one descent, and a batch one for
// each member. A device decides for members by this same text (core/backend/cuda/member_loop.h): a
// descent is numbers alone, and neither it nor what it includes has more of the standard library
// than core/backend/cuda/kernels/standard.cu.
#pragma once

#include <limits>
#include <optional>

#include "core/solve/descent_rules.h"
#include "core/solve/iteration_options.h"
#include "core/solve/iteration_record.h"
#include "core/solve/stopping_tests.h"
#include "core/solve/termination.h"
#include "core/solve/trial_step.h"
#include "core/solve/trust_region.h"

namespace thallo {

struct DescentReport;

class Descent {
 public:
  // What became of the last step.
  enum class Step { None, Accepted, Rejected };

  // The rules must outlive it, or those of the last follow(). `asked` are the options as the user
  // chose them, `suited` those of suited_options().
  Descent(const DescentRules& rules, const IterationOptions& asked, const IterationOptions& suited);
  void follow(const DescentRules& rules) { rules_ = &rules; }

  // Takes over the cost at X, where the solve starts. Returns false if it is not finite.
  bool start(SolverState& state);
  // Forgets what was known of the energy: the data have changed.
  void forget();
  double cost() const { return cost_; }                // what steps minimize, at X
  double energy_cost() const { return energy_cost_; }  // 1/2 sum rho there

  bool has_ended() const { return has_ended_; }
  // Cancelled if it has not ended.
  Termination termination() const { return termination_; }
  void end(Termination why) {
    has_ended_ = true;
    termination_ = why;
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
  bool has_left_best() const { return kept_ < cost_; }
  void go_back(const SolverState& state) { read_cost(state); }

  DescentReport report() const;

 private:
  static constexpr double NoneKept = std::numeric_limits<double>::infinity();

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
  // Why to stop although there is work left; else `otherwise`.
  Termination interruption_or(Termination otherwise) const;

  const DescentRules* rules_;
  StoppingTests tests_;
  TrustRegion trust_region_;  // of Levenberg-Marquardt
  TrialStep step_;            // the last one
  bool has_once_ = false;     // true while other lengths of the step are tried
  TrialStep once_;            // then the whole step
  double factor_ = 1;         // of the step that is looked at
  int num_halvings_ = 0;      // of the step so far
  Step outcome_ = Step::None;
  IterationRecord record_;
  bool has_ended_ = false;
  Termination termination_ = Termination::Cancelled;
  double cost_ = 0, energy_cost_ = 0, previous_cost_ = 0;
  double initial_cost_ = 0, initial_energy_cost_ = 0;
  double refused_decrease_ = 0;
  double gradient_max_ = 0, gradient_cosine_ = 0;
  int num_iterations_ = 0, num_accepted_ = 0;
  bool has_started_ = false;
  bool is_linearized_ = false;
  bool found_step_ = false;  // has a step since the linearization been other than zero?
  bool leaves_best_ = false;
  double kept_ = NoneKept;  // what steps minimize at the kept point
};

}  // namespace thallo
