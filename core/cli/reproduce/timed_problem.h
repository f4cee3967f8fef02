// Opens a problem so that iterations of it can be timed under one schedule after the other.
#pragma once

#include <memory>

#include "core/backend/backend.h"
#include "core/base/options.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/session.h"
#include "core/explore/space/explored_problem.h"

namespace thallo::cli {

class TimedProblem {
 public:
  // `run` must outlive it. Throws UserError if there is no such problem, or the backend cannot run
  // it.
  TimedProblem(Session& session, const RunOptions& run, const Options& options);
  TimedProblem(const TimedProblem&) = delete;
  TimedProblem& operator=(const TimedProblem&) = delete;

  const ExploredProblem& problem() const { return problem_; }
  const AutoTarget& target() const { return target_; }
  // A direct solve has no linear iterations.
  bool is_iterative() const { return !problem_.program.linear_solver->is_direct(); }
  // "bundle_fusion, 11 frames"
  std::string title() const;
  // "In float on cpu. Medians of 3 solves of 3 nonlinear iterations with 10 linear ones each, ..."
  std::string conditions(int solves) const;

  // With these passes over kernels in place of those of the run.
  std::unique_ptr<Executable> compile(const Schedule& schedule, const PassOptions& passes) const;
  // Returns the seconds of a nonlinear iteration: the median over the solves, excluding the first
  // one, which warms up. All stopping tests are switched off, so that all schedules do the same
  // iterations.
  double time(Executable& executable, int solves) const;

 private:
  RunRequest request_;
  std::unique_ptr<Backend> backend_;
  ExploredProblem problem_;
  AutoTarget target_;
};

}  // namespace thallo::cli
