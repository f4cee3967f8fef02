#include "core/cli/reproduce/search_modes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/base/stop_scope.h"
#include "core/base/suggest.h"
#include "core/cli/interrupt.h"
#include "core/cli/reproduce/searching.h"
#include "core/cli/require.h"
#include "core/explore/search/exploration.h"

namespace thallo::cli {
namespace {

// What a part has beside SearchSeconds: milliseconds of the schedules that the figures name, the
// number of timed schedules, and milliseconds of each schedule that has a name.
constexpr const char* BestFound = "best";
constexpr const char* FirstFound = "first";
constexpr const char* NumTimed = "schedules";
constexpr std::string_view ScheduleMs = "schedule ";

std::optional<double> ms_of(const Exploration& exploration, const std::string& hash) {
  const auto seconds = exploration.measurer().iteration_seconds(hash);
  return seconds && std::isfinite(*seconds) ? std::optional(1e3 * *seconds) : std::nullopt;
}

// What is the search's: what it proposed; a greedy one began with the best schedule that has a
// name.
std::optional<double> best_ms(const Exploration& exploration) {
  std::set<std::string> found(exploration.proposed().begin(), exploration.proposed().end());
  if (exploration.request().search == "greedy")
    for (const NamedProposal& named : exploration.named()) found.insert(named.proposal.hash);
  std::optional<double> best;
  for (const std::string& hash : found)
    if (const auto ms = ms_of(exploration, hash)) best = std::min(best.value_or(*ms), *ms);
  return best;
}

// Runs a search in a store of its own. It is not complete if it was ended before its limit.
MeasuredCase run_search(const CaseToMeasure& its, const Quantity& quantity) {
  const double wanted = its.input.seconds;
  const double limit = its.budget.limit_now(wanted);
  const ScratchFolder scratch = require(ScratchFolder::make());
  InterruptWatch interrupt;
  const StopScope scope(interrupt.stop());
  ExplorationRequest request = search_request(its, quantity, limit);
  request.num_best = 0;
  MeasurementOptions& resources = request.measurer.resources;
  resources.store = scratch.path() / "measured.store";
  resources.worker_command = {"/proc/self/exe", "worker"};
  resources.is_cancelled = &interrupt.is_interrupted();
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto exploration = require(Exploration::open(its.run.session, std::move(request)));
  interrupt.keep();
  // Whole solves of schedules that have names come after the search.
  std::optional<Clock::time_point> searched;
  exploration->on_progress([&searched](const MeasurerProgress& progress) {
    if (progress.is_solving && !searched) searched = Clock::now();
  });
  require(exploration->run());
  exploration->on_progress({});

  const ExplorationEnd end = exploration->end();
  const bool is_cut = end.why == ExplorationEnd::Why::OutOfTime;
  MeasuredCase part;
  part.is_complete =
      end.why != ExplorationEnd::Why::Cancelled && (!is_cut || limit >= its.budget.limit(wanted));
  if (is_cut) part.limit = limit;
  const std::chrono::duration<double> seconds = searched.value_or(Clock::now()) - start;
  part.set(SearchSeconds, seconds.count(), is_cut ? Bound::AtLeast : Bound::Exact);
  part.set(NumTimed, static_cast<double>(end.timed), is_cut ? Bound::AtLeast : Bound::Exact);
  if (const auto best = best_ms(*exploration))
    part.set(BestFound, *best, is_cut ? Bound::AtMost : Bound::Exact);
  if (!exploration->proposed().empty())
    if (const auto first = ms_of(*exploration, exploration->proposed().front()))
      part.set(FirstFound, *first);
  for (const NamedProposal& named : exploration->named())
    if (const auto ms = ms_of(*exploration, named.proposal.hash))
      part.set(std::string(ScheduleMs) + named.name, *ms);
  part.conditions = exploration->measurer().problem().title;
  return part;
}

void check_figure(const Quantity& quantity) {
  const std::vector<std::string> legal = {BestFound, FirstFound, SearchSeconds};
  if (std::ranges::find(legal, quantity.figure) == legal.end())
    throw UserError(Diagnostic{fmt::format("a measured search has no figure '{}'{}",
                                           quantity.figure, did_you_mean(quantity.figure, legal)),
                               {},
                               legal});
}

// A time that stands for a quantity.
struct FoundTime {
  std::string key;
  double ms = 0;
  Bound bound = Bound::Exact;
};

}  // namespace

MeasuredCase search_modes(const CaseToMeasure& its) {
  MeasuredCase measured;
  std::vector<FoundTime> found;
  std::map<std::string, double> named;  // milliseconds
  std::vector<std::string> notes;
  std::string title;
  for (const Quantity& quantity : its.item.quantities) {
    if (quantity.search.empty()) continue;
    check_figure(quantity);
    const auto part = obtain_search(its, quantity, [&] { return run_search(its, quantity); });
    if (!part) continue;
    for (const auto& [key, value] : part->values)
      if (key.starts_with(ScheduleMs)) named.try_emplace(key.substr(ScheduleMs.size()), value);
    const auto value = part->values.find(quantity.figure);
    if (value == part->values.end()) continue;
    if (quantity.figure == SearchSeconds) {
      measured.set(quantity.key, value->second, part->bound(SearchSeconds));
    } else {
      found.push_back({quantity.key, value->second, part->bound(quantity.figure)});
    }
    notes.push_back(fmt::format("{} {:.0f}", quantity.title, part->values.at(NumTimed)));
    title = part->conditions;
  }
  for (const Quantity& quantity : its.item.quantities)
    if (const auto ms = named.find(quantity.key); ms != named.end())
      found.push_back({quantity.key, ms->second, Bound::Exact});
  measured.conditions =
      fmt::format("{}. Schedules that were timed: {}.", title, fmt::join(notes, ", "));
  if (found.empty()) return measured;
  const double best = std::ranges::min(found, {}, &FoundTime::ms).ms;
  for (const FoundTime& one : found)
    measured.set(one.key, best / one.ms,
                 one.bound == Bound::AtMost ? Bound::AtLeast : Bound::Exact);
  measured.conditions += fmt::format(" The best takes {:.4f} ms.", best);
  return measured;
}

}  // namespace thallo::cli
