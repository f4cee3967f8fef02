// The report of a solve: a record per iteration while it runs, and a summary at its end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/precision.h"
#include "core/solve/options.h"

namespace thallo {

// One nonlinear iteration. Record 0 is the start and has only the cost, the radius (LM) and the
// time. Costs are 1/2 sum r^2, or 1/2 sum rho(|r|^2) for residuals with a robust loss.
struct IterationRecord {
  int iteration = 0;
  double cost = 0;               // at X after the iteration
  double cost_change = 0;        // cost before - cost of the trial point; > 0 is better
  double gradient_max = 0;       // max |JtF| at X before the iteration (the gradient is not
                                 // computed at a point that no further step starts from)
  double step_norm = 0;          // |delta|
  double relative_decrease = 0;  // rho = cost change / model decrease
  double radius = 0;             // LM: the radius this step was damped with
  int linear_iterations = 0;     // of PCG; 1 for the dense solver
  int failed_blocks = 0;         // preconditioner blocks that fell back to their diagonal
  bool accepted = true;
  bool loose = false;        // found by PCG before a direct solver finds the others
  double seconds = 0;        // of this iteration
  double total_seconds = 0;  // since the solve began
};

// X(Name, text, is_convergence)
#define THALLO_FOR_EACH_TERMINATION(X)                                                           \
  X(MaxIterations, "the number of iterations (nIterations) is used up", false)                   \
  X(FunctionTolerance, "the relative decrease of the cost is below function_tolerance", true)    \
  X(GradientTolerance, "the gradient, relative to J and residuals, is below gradient_tolerance", \
    true)                                                                                        \
  X(ZeroGradient, "the gradient is exactly zero", true)                                          \
  X(ZeroCost, "the cost is zero, as far as rounding lets anyone tell", true)                     \
  X(ParameterTolerance, "the relative size of the step is below parameter_tolerance", true)      \
  X(MinTrustRegionRadius, "the trust region radius fell below min_trust_region_radius", true)    \
  X(RoundingFloor, "rounding changes the cost by more than any step promises to lower it", true) \
  X(NoDecrease, "the step lowers the cost nowhere, halved max_step_halvings times", true)        \
  X(NonFiniteStep, "the step or the cost after it is not finite; the last finite point is kept", \
    false)                                                                                       \
  X(LinearSolveFailed, "no step was found: JtJ is singular or not finite", false)                \
  X(HalfOverflow, "a product stored in halves is beyond what a half holds", false)               \
  X(TimeLimit, "max_solver_time_in_seconds is used up", false)                                   \
  X(Cancelled, "it was cancelled", false)                                                        \
  X(DeviceFailed, "the device or a library failed", false)                                       \
  X(NonFiniteStart, "a residual is not finite at the start", false)

enum class Termination {
#define THALLO_TERMINATION_ENUMERATOR(name, text, converged) name,
  THALLO_FOR_EACH_TERMINATION(THALLO_TERMINATION_ENUMERATOR)
#undef THALLO_TERMINATION_ENUMERATOR
};
std::string_view to_string(Termination termination);  // "FunctionTolerance"
std::string_view describe(Termination termination);   // the sentence above
bool is_convergence(Termination termination);

// The breakdown of the time in seconds, from the executable's clocks (device time on a device). The
// rest of `total` is host time.
struct SolverSeconds {
  double linearize = 0;  // masks, stored values, JtF, preconditioner blocks, JtJ
  double linear = 0;     // damping and PCG, or the dense solve
  double cost = 0;
  double update = 0;  // retraction and acceptance
  double total = 0;   // wall clock of the whole solve, without a caller's time between steps
};

// How long something took each time, in seconds.
struct SecondsSpread {
  std::int64_t count = 0;  // how often it happened; the others are 0 if it never did
  double min = 0, max = 0, mean = 0;
  double deviation = 0;  // the root of the mean squared distance from the mean

  static SecondsSpread of(const std::vector<double>& seconds);
};

// The times of the iterations that have a record. Wall clock for the first two, which leaves out
// what a caller does between steps; the executable's clocks for the others.
struct SolverTimes {
  SecondsSpread total;      // of the whole solve, one time
  SecondsSpread iteration;  // of a nonlinear iteration
  SecondsSpread linearize;  // of a linearization; in LM rejected steps are followed by none
  SecondsSpread linear;     // of a linear solve
  SecondsSpread resolve;    // of the trial point, its cost, and taking it over
};

// What a residual group has come to at the end of a solve.
struct GroupSummary {
  std::string name;
  double cost = 0;  // 1/2 sum rho(|r|^2)
  // Scalars that are not 0, or that a change of the unknowns changes: others are masked.
  std::int64_t num_residuals = 0;
  // Points at which the group has such residuals and its loss, if it has one, does not count them
  // as an outlier: |r| is at most its scale, if it has one.
  std::int64_t num_inliers = 0;
};

// What a solve has come to for one member of a batch.
struct MemberSummary {
  double initial_cost = 0, final_cost = 0;
  int num_iterations = 0;  // accepted and rejected
  int num_accepted = 0;
  Termination termination = Termination::MaxIterations;
};

// What a solve ran on, and when.
struct RunFacts {
  std::string device;   // its name
  int num_threads = 0;  // of the host
  Precision precision = Precision::Float;
  std::string commit;                  // of Thallo; "" if it was not built in a repository
  std::string date;                    // of the end, in UTC: 2026-01-31T12:00:00Z
  std::int64_t peak_memory_bytes = 0;  // of the process on the host, so far
  double cpu_seconds = 0;              // of the process on the host, from begin to end
};

struct SolverSummary {
  std::string energy;  // the energy's name
  SolverOptions options;
  // The reason why this linear solver was chosen; empty if it was named. solve_problem() sets it.
  std::string why_linear_solver;
  Precision precision = Precision::Double;  // solve_problem() sets it
  std::string why_precision;     // the reason why it is not the one that was asked for; often empty
  std::string price_of_order;    // what deterministic is predicted to cost; often empty
  bool solved_directly = false;  // true if the linear solver took a matrix, at least in the end
  // Numbers of scalars; 0 = unknown. solve() knows no extents; solve_problem()
  // (core/problem/driver.h) sets them.
  std::int64_t num_unknowns = 0;
  std::int64_t num_free_unknowns = 0;  // without excluded and held ones
  std::int64_t num_residuals = 0;
  // True if weights that depend on unknowns, such as those of L_p, are held constant during a step.
  // Then a step can raise the cost even though it lowers the function that it was made for.
  // solve_problem() sets it.
  bool holds_weights = false;

  double initial_cost = 0;
  double final_cost = 0;
  // What steps minimize. It is the cost, but where L_p norms are reweighted
  // (core/energy/reweighted_norm.h); at the start, or when the data last changed, and at the end.
  bool reweights_norms = false;
  // False if residuals have other frozen parts that change with the unknowns: nobody knows what
  // steps minimize then, and the cost stands in for it.
  bool knows_minimized_cost = true;
  double initial_minimized_cost = 0;
  double final_minimized_cost = 0;
  // With NoDecrease, what the model promised of the step that was refused.
  double refused_decrease = 0;
  // What steps minimize, at the last point, if the solve went back from it to a better one.
  std::optional<double> left_cost;
  // The cost at the unknowns when the data last changed between steps; absent if they never did.
  std::optional<double> changed_cost;
  int num_iterations = 0;  // nonlinear, accepted and rejected
  int num_accepted = 0;
  int num_rejected = 0;
  int num_loose = 0;  // the first ones
  std::int64_t num_linear_iterations = 0;
  std::int64_t num_failed_blocks = 0;  // summed over linear solves
  // With block_jacobi: the unknowns whose elements are too large for a block and use jacobi
  // instead.
  std::vector<std::string> unknowns_without_block;
  double final_gradient_max = 0;  // of the last linearization
  // Of the last linearization, the largest cosine of a column of J and the residuals; small at a
  // minimum.
  double final_gradient_cosine = 0;
  Termination termination = Termination::MaxIterations;
  std::string cause;  // what is known beyond describe(); often empty
  SolverSeconds seconds;
  SolverTimes times;
  std::vector<IterationRecord> iterations;
  // solve_problem() sets the facts, and the groups if they are asked for.
  RunFacts facts;
  std::vector<GroupSummary> groups;
  // Of a batch. Its costs are then the sums of those that are finite, an iteration is one of all
  // members that have not ended, and the termination is that of most members, of those that failed
  // if there are any.
  std::vector<MemberSummary> members;

  // Sets the termination of a batch, whose members have ended so.
  void end_batch(const std::map<Termination, std::int64_t>& endings);
  // Adds the record of the start, or of an iteration, which it counts.
  void add(const IterationRecord& record);

  bool converged() const { return is_convergence(termination); }
  // Returns describe(termination) and, if known, the cause with what to change.
  std::string why() const;
  // Returns initial / final cost; infinite if the final cost is 0 and the initial one is not, 1 if
  // both are.
  double reduction() const;

  // Returns one line: "image_warping: gn, 8 iterations, cost 1.23e+04 -> 5.67e+01 (...), 0.52 s:
  // ...".
  std::string brief() const;
  // If there are loose steps, returns which, and what found them: "steps 1 to 2 by pcg, in 13 ...".
  std::string loose_text() const;
  // Where norms are reweighted, returns how what steps minimize changed: "1.2 -> 0.3, with ...".
  std::string minimized_text() const;
  // Returns a page: sizes, the options that matter for this solver, the cost, iterations, the
  // breakdown of the time, why it ended.
  std::string full() const;
};

// Lines of the table of iterations, without a line break.
std::string iteration_table_header(SolverKind solver);
std::string iteration_table_row(SolverKind solver, const IterationRecord& record);

}  // namespace thallo
