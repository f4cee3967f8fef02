#include "core/cli/bench/moves.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "core/cli/bench/timed_problem.h"
#include "core/cli/output/progress_bar.h"
#include "core/cli/require.h"
#include "core/explore/space/guide.h"
#include "core/explore/space/weighed_choices.h"
#include "core/kernel/instance_storage.h"

namespace thallo::cli {
namespace {

// The decisions that are predicted to change the time, the largest changes first, each different
// schedule once.
std::vector<const WeighedAlternative*> large_moves(const WeighedChoices& weighed,
                                                   const MovesToTime& wanted) {
  const auto change = [&](const WeighedAlternative& its) {
    return std::abs(std::log(its.cost->seconds / weighed.chosen.seconds));
  };
  std::vector<const WeighedAlternative*> moves;
  const auto add = [&](const WeighedAlternative& its) {
    if (its.directives.empty() || !std::isfinite(its.cost->seconds)) return;
    const double share = its.cost->seconds / weighed.chosen.seconds - 1;
    if (std::abs(share) >= wanted.least_change) moves.push_back(&its);
  };
  for (const auto& alternatives : weighed.sites) std::ranges::for_each(alternatives, add);
  for (const WeighedMerge& merge : weighed.merges) add(merge.its);
  std::ranges::stable_sort(moves, std::greater<>(), [&](const auto* its) { return change(*its); });
  std::set<std::string_view> seen;
  std::erase_if(moves, [&](const auto* its) { return !seen.insert(its->hash).second; });
  if (moves.size() > static_cast<std::size_t>(wanted.most))
    moves.resize(static_cast<std::size_t>(wanted.most));
  return moves;
}

WeighedChoices weigh(const TimedProblem& timed, const Schedule& schedule,
                     const DeviceSpec& device) {
  const ExploredProblem& problem = timed.problem();
  const AutoTarget& target = timed.target();
  const InstanceStorage limit(problem.file.energy, target.binding, target.program,
                              target.program.precision, target.memory_limit);
  const auto sites = require(list_choices(problem.file.energy, schedule, *problem.constructs,
                                          target.program.precision, &limit));
  PlanPricer pricer = plan_pricer(problem.file.energy, target, device);
  return require(weigh_choices(problem.file.energy, schedule, sites, *problem.constructs,
                               price_by(pricer), most_weighed(sites.size())));
}

}  // namespace

DataTable bench_moves(Session& session, const MovesToTime& wanted) {
  const TimedProblem timed(session, wanted.run, wanted.options);
  const ExploredProblem& problem = timed.problem();
  const Schedule start = require(choose_schedule(wanted.run.request(session).schedule, problem.file,
                                                 *problem.constructs, &timed.target()));
  const DeviceSpec device = require(timed.target().device());
  const WeighedChoices weighed = weigh(timed, start, device);
  const auto moves = large_moves(weighed, wanted);

  DataTable table("moves", timed.title(),
                  {{"move", "decision"},
                   {"predicted", "predicted, %", "{:+.1f}"},
                   {"measured", "measured, %", "{:+.1f}"},
                   {"agrees", "sign"}});
  const auto before = timed.time(*timed.compile(start), wanted.solves).nonlinear_seconds;
  ProgressBar bar("moves", static_cast<std::int64_t>(moves.size()));
  std::int64_t num_done = 0;
  std::int64_t num_agreeing = 0;
  for (const WeighedAlternative* its : moves) {
    const std::string text = text_of(its->directives, *problem.constructs);
    bar.update(num_done++, text);
    const auto executable = timed.compile(its->schedule);
    const double seconds = timed.time(*executable, wanted.solves).nonlinear_seconds;
    const double predicted = its->cost->seconds / weighed.chosen.seconds - 1;
    const double measured = seconds / before - 1;
    const bool agrees = (predicted < 0) == (measured < 0);
    num_agreeing += agrees;
    table.add({text, 100 * predicted, 100 * measured, std::string(agrees ? "agrees" : "differs")});
  }
  bar.clear();
  table.note(fmt::format(
      "Single decisions from {}, predicted for {} to change the time of {:.4g} ms by at least "
      "{:.2g} %; measured {:.4g} ms. The sign agrees in {} of {}.",
      wanted.run.schedule.empty() ? "the problem's schedule" : wanted.run.schedule, device.name,
      1e3 * weighed.chosen.seconds, 100 * wanted.least_change, 1e3 * before, num_agreeing,
      moves.size()));
  if (weighed.left_out > 0)
    table.note(fmt::format("{} alternatives were not weighed.", weighed.left_out));
  table.note(timed.conditions(wanted.solves));
  return table;
}

}  // namespace thallo::cli
