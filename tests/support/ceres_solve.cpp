#include "tests/support/ceres_solve.h"

#include <ceres/ceres.h>

#include "core/base/error.h"

namespace thallo::test {

bool has_ceres() { return true; }

CeresResult solve_with_ceres(ceres::Problem& problem, const CeresOptions& options) {
  ceres::Solver::Options solver;
  solver.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  solver.max_num_iterations = options.max_iterations;
  solver.function_tolerance = options.function_tolerance;
  solver.gradient_tolerance = options.gradient_tolerance;
  solver.parameter_tolerance = options.parameter_tolerance;
  solver.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(solver, &problem, &summary);
  THALLO_ASSERT(summary.IsSolutionUsable(), "{}", summary.BriefReport());
  return {.initial_cost = summary.initial_cost,
          .final_cost = summary.final_cost,
          .iterations = summary.num_successful_steps + summary.num_unsuccessful_steps,
          .seconds = summary.total_time_in_seconds};
}

}  // namespace thallo::test
