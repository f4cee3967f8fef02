#include "core/export/runtime/whole_solve.h"

#include <chrono>
#include <cmath>
#include <map>
#include <optional>

#include "core/solve/descent_loop.h"

namespace thallo {
namespace {

// That of most descents. (Of a batch each member has one.)
Termination usual_termination(const DescentLoop& loop) {
  std::map<Termination, int> counts;
  for (const Descent& descent : loop.descents()) ++counts[descent.termination()];
  Termination most = Termination::Cancelled;
  int count = 0;
  for (const auto& [termination, number] : counts) {
    if (number <= count) continue;
    most = termination;
    count = number;
  }
  return most;
}

}  // namespace

WholeSolve solve_whole(PhaseRunner& runner, const ProgramTraits& program,
                       const IterationOptions& options,
                       const std::function<bool(const IterationRecord&)>& callback) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  bool is_cancelled = false;
  DescentLoop loop(runner, program, options, [&]() -> std::optional<Termination> {
    if (is_cancelled) return Termination::Cancelled;
    const double limit = options.max_solver_time_in_seconds;
    return limit > 0 && seconds() > limit ? std::optional(Termination::TimeLimit) : std::nullopt;
  });
  WholeSolve solve;
  const bool is_finite = loop.start();
  IterationRecord last = loop.record_of_start();
  solve.initial_cost = solve.final_cost = last.cost;
  if (!is_finite || !std::isfinite(loop.start_move())) return solve;  // or bounds are empty
  const auto tell = [&](IterationRecord record) {
    record.iteration = solve.num_iterations;
    record.total_seconds = seconds();
    record.seconds = record.total_seconds - last.total_seconds;
    last = record;
    if (!callback) return;
    loop.run_waiting();
    is_cancelled = !callback(record);
  };
  tell(last);
  while (loop.can_continue(solve.num_iterations)) {
    if (!loop.iterate(last)) continue;
    ++solve.num_iterations;
    const IterationRecord record = loop.record();
    solve.num_accepted += record.accepted ? 1 : 0;
    solve.num_linear_iterations += record.linear_iterations;
    tell(record);
  }
  loop.run_waiting();
  loop.go_back();
  solve.final_cost = loop.total_cost();
  solve.termination = usual_termination(loop);
  solve.seconds = seconds();
  return solve;
}

}  // namespace thallo
