#include "core/explore/report/search_curves.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/explore/measure/statistics.h"

namespace thallo {
namespace {

constexpr std::size_t MostKinds = 12;

double end_of(const SearchCurve& run, CurveAxis axis) {
  if (axis == CurveAxis::Schedules) return static_cast<double>(run.num_measured);
  return std::max(run.seconds, run.best.empty() ? 0 : run.best.back().at);
}

SearchCurve recorded_curve(const SearchRunRecord& run) {
  std::vector<TimedEvent> events;
  for (const SearchEvent& event : run.events) events.push_back({event.at, event.seconds});
  SearchCurve curve{.seed = run.request.seed,
                    .num_measured = events.size(),
                    .best = best_so_far(events),
                    .seconds = run.state.seconds,
                    .ending = run.state.ending,
                    .figures = run.state.figures};
  for (const BestPoint& point : curve.best)
    curve.schedules.push_back(run.events[point.measured - 1].schedule);
  return curve;
}

// Everything that may tell kinds of runs of one search apart, by name.
std::map<std::string, std::string> traits_of(const SearchRequest& request) {
  std::map<std::string, std::string> traits = request.settings;
  traits["space"] = request.space;
  for (const auto& [name, value] : request.options) traits[name] = value;
  return traits;
}

// "beam", or "beam, width=8" if there is another kind of beam.
std::string label_of(const SearchRequest& request, const std::vector<SearchRequest>& all) {
  const auto own = traits_of(request);
  std::set<std::string> differing;
  const auto compare = [&differing](const auto& traits, const auto& others) {
    for (const auto& [name, value] : traits) {
      const auto found = others.find(name);
      if (found == others.end() || found->second != value) differing.insert(name);
    }
  };
  for (const SearchRequest& other : all) {
    if (other.search != request.search) continue;
    const auto others = traits_of(other);
    compare(own, others);
    compare(others, own);
  }
  std::string label = request.search;
  for (const std::string& name : differing) {
    const auto found = own.find(name);
    label += fmt::format(", {}={}", name, found == own.end() ? "" : found->second);
  }
  return label;
}

}  // namespace

MedianPoint median_at(const SearchCurves& curves, CurveAxis axis, double at) {
  THALLO_ASSERT(!curves.runs.empty(), "no run of {} has a median", curves.label);
  std::vector<double> best;
  for (const SearchCurve& run : curves.runs) {
    best.push_back(best_at(run.best, axis, at).value_or(std::numeric_limits<double>::infinity()));
  }
  const auto [least, most] = std::ranges::minmax(best);
  return {at, median(best), least, most};
}

std::vector<MedianPoint> median_curve(const SearchCurves& curves, CurveAxis axis) {
  std::set<double> places;
  double end = 0;
  for (const SearchCurve& run : curves.runs) {
    for (const BestPoint& point : run.best) places.insert(place_of(point, axis));
    end = std::max(end, end_of(run, axis));
  }
  if (places.empty()) return {};
  places.insert(end);
  std::vector<MedianPoint> curve;
  for (const double place : places) curve.push_back(median_at(curves, axis, place));
  return curve;
}

std::vector<double> stops_of(std::span<const SearchCurves> all, CurveAxis axis) {
  double first = std::numeric_limits<double>::infinity();
  double last = 0;
  for (const SearchCurves& curves : all) {
    for (const SearchCurve& run : curves.runs) {
      if (run.best.empty()) continue;
      first = std::min(first, place_of(run.best.front(), axis));
      last = std::max(last, end_of(run, axis));
    }
  }
  // However early the first time is, rows begin four decades before the end.
  return curve_stops(axis == CurveAxis::Seconds ? std::max(first, 1e-4 * last) : 1, last);
}

RecordedCurves recorded_curves(std::vector<SearchRunRecord> runs, ResultKind kind) {
  RecordedCurves recorded;
  std::ranges::stable_sort(runs, {}, [](const SearchRunRecord& run) {
    return std::pair(run.origin.unix_seconds, run.request.seed);
  });
  // From the last run on, so that the kinds that are left out are the earliest ones.
  std::vector<SearchRequest> kinds;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    SearchRequest request = run->request;
    request.seed = 1;
    auto found = std::ranges::find(kinds, request);
    if (run->events.empty() || request.kind != kind ||
        (found == kinds.end() && kinds.size() == MostKinds)) {
      ++recorded.num_other_runs;
      continue;
    }
    if (found == kinds.end()) {
      recorded.kinds.push_back({.search = request.search});
      found = kinds.insert(kinds.end(), std::move(request));
    }
    recorded.kinds[static_cast<std::size_t>(found - kinds.begin())].runs.push_back(
        recorded_curve(*run));
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    recorded.kinds[k].label = label_of(kinds[k], kinds);
    std::ranges::reverse(recorded.kinds[k].runs);
  }
  std::ranges::reverse(recorded.kinds);
  return recorded;
}

}  // namespace thallo
