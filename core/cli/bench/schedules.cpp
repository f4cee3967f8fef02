#include "core/cli/bench/schedules.h"

#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/cli/auto_target.h"
#include "core/cli/bench/iteration_cost.h"
#include "core/cli/progress_bar.h"
#include "core/cli/require.h"
#include "core/explore/measure/statistics.h"
#include "core/explore/space/explored_problem.h"
#include "core/explore/worker/timed_solve.h"
#include "core/kernel/generate.h"
#include "core/schedule/named_schedules.h"

namespace thallo::cli {
namespace {

struct NamedSchedule {
  std::string name;
  Schedule schedule;
};

// The default list: the schedules that have a name, and the one in the energy's text.
std::vector<std::string> all_names(const EnergyFile& file) {
  std::vector<std::string> names(std::begin(NamedSchedules), std::end(NamedSchedules));
  names.emplace_back("auto");
  if (!file.schedule.empty()) names.emplace_back("file");
  return names;
}

ExplorationTarget target_of(Session& session, const SchedulesToTime& wanted,
                            const RunRequest& request, const Backend& backend) {
  return {.problem = wanted.run.problem.name,
          .bindings = wanted.run.problem.sources(),
          .options = wanted.options,
          .precision = backend.has_float() ? request.precision : Precision::Double,
          .solver_options = request.solver_options,
          .sites = request.sites,
          .memory_limit = request.compile.memory_limit,
          .num_threads = request.compile.num_threads,
          .plugin_path = session.plugin_path()};
}

// Medians over the solves, excluding the first one, which warms up.
struct MedianTimes {
  double nonlinear_seconds = 0;
  double linear_seconds = 0;
};

MedianTimes time_solves(Executable& executable, const ExploredProblem& problem, int solves) {
  std::vector<double> nonlinear;
  std::vector<double> linear;
  for (int i = 0; i <= solves; ++i) {
    require(executable.bind(problem.instance.binding));
    const TimedSolve timed = require(time_solve(executable, problem.solver, {}));
    if (i == 0) continue;
    nonlinear.push_back(timed.nonlinear_seconds);
    linear.push_back(timed.linear_seconds);
  }
  return {median(nonlinear), median(linear)};
}

}  // namespace

DataTable bench_schedules(Session& session, const SchedulesToTime& wanted) {
  const RunRequest request = wanted.run.request(session);
  const auto backend = session.backend(request.backend, request.device);
  require(check_precision(*backend, request.precision));
  const ExploredProblem problem =
      require(ExploredProblem::open(session, target_of(session, wanted, request, *backend)));
  const AutoTarget for_auto =
      auto_target(session, wanted.run, std::string(backend->name()), problem.file, problem.instance,
                  request, problem.precision);
  std::vector<NamedSchedule> schedules;
  for (const std::string& name : wanted.names.empty() ? all_names(problem.file) : wanted.names) {
    schedules.push_back(
        {name, require(choose_schedule(name, problem.file, *problem.constructs, &for_auto))});
  }

  DataTable table("schedules",
                  fmt::format("{}, {}", problem.problem->info().name, problem.instance.title),
                  {{"schedule", "schedule"},
                   {"ms_per_iteration", "ms / nonlinear iteration", "{:.3f}"},
                   {"us_per_linear_iteration", "µs / linear iteration", "{:.2f}"},
                   {"speedup", "times as fast as the first", "{:.2f}"},
                   {"launches", "launches / linear iteration"},
                   {"must_move_mb", "MB that must move", "{:.3f}"}});
  // A direct solve has no linear iterations.
  const bool is_iterative = !problem.program.linear_solver->is_direct();
  ProgressBar bar("schedules", static_cast<std::int64_t>(schedules.size()));
  std::optional<double> first;
  std::int64_t num_done = 0;
  for (const NamedSchedule& its : schedules) {
    bar.update(num_done++, its.name);
    const Plan plan = require(problem.plan_of(its.schedule));
    const auto executable = require(backend->compile(
        generate(make_program(problem.file.energy, plan, problem.program)), problem.compile));
    const MedianTimes times = time_solves(*executable, problem, wanted.solves);
    if (!first) first = times.nonlinear_seconds;
    const LinearIterationCost cost =
        linear_iteration_cost(executable->generated(), problem.instance.binding, problem.precision);
    table.add({its.name, 1e3 * times.nonlinear_seconds,
               is_iterative ? DataTable::Cell(1e6 * times.linear_seconds) : DataTable::Cell(),
               *first / times.nonlinear_seconds, std::int64_t{cost.launches},
               1e-6 * cost.must_move});
  }
  bar.clear();
  table.note(fmt::format(
      "In {} on {}. Medians of {} solves of {} nonlinear iterations{}, which no test ends.",
      to_string(problem.precision), backend->device().name, wanted.solves,
      problem.solver.num_iterations,
      is_iterative ? fmt::format(" with {} linear ones each", problem.solver.num_linear_iterations)
                   : std::string()));
  return table;
}

}  // namespace thallo::cli
