#include "core/cli/reproduce/timed_problem.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/cli/require.h"
#include "core/explore/measure/statistics.h"
#include "core/explore/worker/timed_solve.h"
#include "core/kernel/generate.h"

namespace thallo::cli {
namespace {

std::unique_ptr<Backend> open_backend(Session& session, const RunRequest& request) {
  auto backend = session.backend(request.backend, request.device);
  require(check_precision(*backend, request.precision));
  return backend;
}

ExplorationTarget target_of(Session& session, const RunOptions& run, const Options& options,
                            const RunRequest& request, const Backend& backend) {
  return {.problem = run.problem.name,
          .bindings = run.problem.sources(),
          .options = options,
          .precision = backend.has_float() ? request.precision : Precision::Double,
          .solver_options = request.solver_options,
          .sites = request.sites,
          .passes = request.passes,
          .memory_limit = request.compile.memory_limit,
          .num_threads = request.compile.num_threads,
          .plugin_path = session.plugin_path()};
}

}  // namespace

TimedProblem::TimedProblem(Session& session, const RunOptions& run, const Options& options)
    : request_(run.request(session)),
      backend_(open_backend(session, request_)),
      problem_(require(
          ExploredProblem::open(session, target_of(session, run, options, request_, *backend_)))),
      target_(problem_.auto_target(
          require(session.device_spec(run.device_spec, backend_->name(), run.device)))) {}

std::string TimedProblem::title() const {
  return fmt::format("{}, {}", problem_.problem->info().name, problem_.instance.title);
}

std::string TimedProblem::conditions(int solves) const {
  return fmt::format(
      "In {} on {}. Medians of {} solves of {} nonlinear iterations{}, which no test ends.",
      to_string(problem_.program.precision), backend_->device().name, solves,
      problem_.solver.num_iterations,
      is_iterative()
          ? fmt::format(" with {} linear ones each", problem_.solver.num_linear_iterations)
          : std::string());
}

std::unique_ptr<Executable> TimedProblem::compile(const Schedule& schedule,
                                                  const PassOptions& passes) const {
  const Plan plan = require(problem_.plan_of(schedule));
  ProgramOptions program = problem_.program;
  program.passes = passes;
  return require(backend_->compile(generate(make_program(problem_.file.energy, plan, program)),
                                   problem_.compile));
}

double TimedProblem::time(Executable& executable, int solves) const {
  std::vector<double> seconds;
  for (int i = 0; i <= solves; ++i) {
    require(executable.bind(problem_.instance.binding));
    const TimedSolve timed = require(time_solve(executable, problem_.solver, {}));
    if (i > 0) seconds.push_back(timed.nonlinear_seconds);
  }
  return median(seconds);
}

}  // namespace thallo::cli
