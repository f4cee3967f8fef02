#include "core/cli/bench/schedules.h"

#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "core/cli/bench/iteration_cost.h"
#include "core/cli/bench/timed_problem.h"
#include "core/cli/output/progress_bar.h"
#include "core/cli/require.h"
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

}  // namespace

DataTable bench_schedules(Session& session, const SchedulesToTime& wanted) {
  const TimedProblem timed(session, wanted.run, wanted.options);
  const ExploredProblem& problem = timed.problem();
  std::vector<NamedSchedule> schedules;
  for (const std::string& name : wanted.names.empty() ? all_names(problem.file) : wanted.names) {
    schedules.push_back(
        {name, require(choose_schedule(name, problem.file, *problem.constructs, &timed.target()))});
  }

  DataTable table("schedules", timed.title(),
                  {{"schedule", "schedule"},
                   {"ms_per_iteration", "ms / nonlinear iteration", "{:.3f}"},
                   {"us_per_linear_iteration", "µs / linear iteration", "{:.2f}"},
                   {"speedup", "times as fast as the first", "{:.2f}"},
                   {"launches", "launches / linear iteration"},
                   {"must_move_mb", "MB that must move", "{:.3f}"}});
  ProgressBar bar("schedules", static_cast<std::int64_t>(schedules.size()));
  std::optional<double> first;
  std::int64_t num_done = 0;
  for (const NamedSchedule& its : schedules) {
    bar.update(num_done++, its.name);
    const auto executable = timed.compile(its.schedule);
    const TimedProblem::Times times = timed.time(*executable, wanted.solves);
    if (!first) first = times.nonlinear_seconds;
    const LinearIterationCost cost = linear_iteration_cost(
        executable->generated(), problem.instance.binding, problem.program.precision);
    table.add(
        {its.name, 1e3 * times.nonlinear_seconds,
         timed.is_iterative() ? DataTable::Cell(1e6 * times.linear_seconds) : DataTable::Cell(),
         *first / times.nonlinear_seconds, std::int64_t{cost.launches}, 1e-6 * cost.must_move});
  }
  bar.clear();
  table.note(timed.conditions(wanted.solves));
  return table;
}

}  // namespace thallo::cli
