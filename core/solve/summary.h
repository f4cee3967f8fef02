// The report of a solve: a record per iteration while it runs, and a summary at its end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule/precision.h"
#include "core/solve/iteration_record.h"
#include "core/solve/options.h"
#include "core/solve/termination.h"

namespace thallo {

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
  // The most that an unknown was moved at the start, because it was outside of its bounds.
  double start_move = 0;
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
