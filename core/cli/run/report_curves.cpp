#include "core/cli/run/report_curves.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/stop_scope.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/interrupt.h"
#include "core/cli/output/progress_bar.h"
#include "core/cli/require.h"
#include "core/explore/measure/chosen_devices.h"
#include "core/explore/space/explored_space.h"

namespace thallo::cli {
namespace {

constexpr std::int64_t MostSeeds = 1000;

// Returns the signature of the device whose times are taken.
std::string device_of(const MeasurementStore& store, const std::string& problem,
                      const DeviceChoice& choice) {
  const std::vector<DeviceRecord> devices = require(measured_devices(store, problem, choice));
  if (devices.size() == 1) return devices.front().signature;
  throw UserError(
      Diagnostic{fmt::format("--curves is of one device, and there are results of {}; choose one "
                             "by --device",
                             devices.size()),
                 {store.path()},
                 titles_of(devices)});
}

}  // namespace

void CurveFlags::add_to(CLI::App& command) {
  command.add_flag("--curves", is_given,
                   "instead: how soon searches find fast schedules. Replays searches on the times\n"
                   "of the store, beside the runs that it has recorded");
  others = {
      add_value(command, "--search", searches, "NAME,...",
                "of --curves: the searches [random,greedy,beam,autotune]")
          ->delimiter(',')
          ->allow_extra_args(false),
      add_count(command, "--seeds", num_seeds,
                "of --curves: so many replays of each search, which differ in their seeds [5]",
                MostSeeds, 1),
      add_count(command, "--sample", samples, "of --curves: so many schedules are drawn [200]",
                Unlimited, 1),
      add_value(command, "--budget", budget, "TIME",
                "of --curves: the time that each replay ends after [30s]")
          ->transform(CLI::Validator(read_time, ""))};
}

void CurveFlags::check() const {
  if (is_given) return;
  for (const CLI::Option* option : others) {
    if (option->count() > 0)
      throw UserError(fmt::format("{} has no effect without --curves", option->get_name()));
  }
}

ReplayedCurves replay_curves(Session& session, const CurveFlags& flags,
                             const ExplorationTarget& target, const MeasurementStore& store,
                             const StoredTimesOptions& stored) {
  static InterruptWatch interrupt;
  const StopScope scope(interrupt.stop());
  const ExploredProblem problem = require(ExploredProblem::open(session, target));
  require(find_problem(store, problem));
  ReplayRequest request{.exploration = {.target = target, .samples = flags.samples}};
  MeasurementOptions& resources = request.exploration.measurer.resources;
  resources.store = store.path();
  resources.budget = std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * flags.budget));
  resources.is_cancelled = &interrupt.is_interrupted();
  request.stored = {.device = {device_of(store, problem.signature, stored.device), "auto"},
                    .device_spec = stored.device_spec};
  if (!flags.searches.empty()) request.searches = flags.searches;
  request.num_seeds = flags.num_seeds;
  // Random draws go by numbers where the space can be counted soon, as those of `thallo explore`.
  CountLimits limits;
  limits.max_seconds = std::min(limits.max_seconds, flags.budget / 4);
  const auto space = require(ExploredSpace::make(
      problem.file, problem.instance.binding, problem.program.precision, *problem.constructs,
      std::nullopt, {.memory_limit = target.memory_limit, .limits = limits}));
  request.exploration.space = space->indexed();
  interrupt.keep();
  std::optional<ProgressBar> bar;
  CurveComparison comparison =
      require(compare_curves(session, request, [&](std::size_t replay, const std::string& search) {
        if (!bar) {
          const std::size_t num_replays = request.searches.size() * request.num_seeds;
          bar.emplace("replaying searches", static_cast<std::int64_t>(num_replays));
        }
        bar->update(static_cast<std::int64_t>(replay), search);
      }));
  bar.reset();
  request.exploration.space = nullptr;  // it ends here
  if (!comparison.has_times()) {
    if (comparison.is_cancelled) throw Stopped();
    std::vector<std::string> reasons;
    for (const SearchCurves& curves : comparison.replayed)
      if (!curves.fault.empty())
        reasons.push_back(fmt::format("{}: {}", curves.label, curves.fault));
    throw UserError(Diagnostic{
        fmt::format("nothing can be replayed: the store has no time of any schedule that these "
                    "searches look up, and no recorded run{}{}",
                    reasons.empty() ? "" : "; ", fmt::join(reasons, "; ")),
        {store.path()}});
  }
  return {std::move(request), std::move(comparison)};
}

}  // namespace thallo::cli
