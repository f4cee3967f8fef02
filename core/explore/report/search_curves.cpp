#include "core/explore/report/search_curves.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace thallo {
namespace {

constexpr std::size_t MostKinds = 12;

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

std::vector<SearchCurves> recorded_curves(std::vector<SearchRunRecord> runs, ResultKind kind) {
  std::vector<SearchCurves> recorded;
  std::ranges::stable_sort(runs, {}, [](const SearchRunRecord& run) {
    return std::pair(run.origin.unix_seconds, run.request.seed);
  });
  // From the last run on, so that the kinds that are left out are the earliest ones.
  std::vector<SearchRequest> kinds;
  for (const SearchRunRecord& run : std::views::reverse(runs)) {
    if (run.events.empty() || run.request.kind != kind) continue;
    SearchRequest request = run.request;
    request.seed = 1;
    auto found = std::ranges::find(kinds, request);
    if (found == kinds.end()) {
      if (kinds.size() == MostKinds) continue;
      recorded.emplace_back();
      found = kinds.insert(kinds.end(), std::move(request));
    }
    recorded[static_cast<std::size_t>(found - kinds.begin())].runs.push_back(recorded_curve(run));
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    recorded[k].label = label_of(kinds[k], kinds);
    std::ranges::reverse(recorded[k].runs);
  }
  std::ranges::reverse(recorded);
  return recorded;
}

}  // namespace thallo
