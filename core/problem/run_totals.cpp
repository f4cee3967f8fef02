#include "core/problem/run_totals.h"

namespace thallo {

RunTotals totals_of(const Solution& solution) {
  RunTotals totals;
  for (const SolverSummary& s : solution.solves) {
    totals.iterations += s.num_iterations;
    totals.linear_iterations += s.num_linear_iterations;
    totals.failed_blocks += s.num_failed_blocks;
    totals.cpu_seconds += s.facts.cpu_seconds;
    totals.seconds.linearize += s.seconds.linearize;
    totals.seconds.linear += s.seconds.linear;
    totals.seconds.cost += s.seconds.cost;
    totals.seconds.update += s.seconds.update;
    totals.seconds.total += s.seconds.total;
  }
  return totals;
}

}  // namespace thallo
