#include "core/explore/report/replayed_curves.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/stop_scope.h"
#include "core/explore/search/prediction.h"

namespace thallo {
namespace {

Expected<void> check_searches(Session& session, const std::vector<std::string>& searches) {
  std::set<std::string> named;
  for (const std::string& name : searches) {
    THALLO_CHECK(session.searches().lookup(name));
    if (!named.insert(name).second) return fail("the search {} is named twice", name);
  }
  return {};
}

// What the store says without a replay.
Expected<CurveComparison> stored_comparison(Session& session, const ReplayRequest& request) {
  const ExplorationRequest& exploration = request.exploration;
  THALLO_TRY(const auto problem, ExploredProblem::open(session, exploration.target));
  const std::filesystem::path& path = exploration.measurer.resources.store;
  THALLO_TRY(const auto times, StoredTimes::open(path, problem, request.stored));
  THALLO_TRY(auto runs,
             times->store().list<SearchRunRecord>({problem.signature, times->device().signature}));
  CurveComparison comparison{.problem = problem.problem->info().name,
                             .title = problem.instance.title,
                             .store = path.string(),
                             .device = times->device(),
                             .kind = times->kind(),
                             .best_known = times->best()};
  comparison.recorded = recorded_curves(std::move(runs), comparison.kind);
  // What was measured again since has another time there.
  for (const SearchCurves& curves : comparison.recorded.kinds)
    for (const SearchCurve& run : curves.runs)
      comparison.best_known = std::min(comparison.best_known, run.best.back().best);
  return comparison;
}

ExplorationRequest exploration_of(Session& session, const ReplayRequest& request,
                                  const std::string& search, std::uint64_t seed) {
  ExplorationRequest its = request.exploration;
  its.search = search;
  its.seed = seed;
  if (!session.searches().find(search)->takes_samples()) its.samples.reset();
  return its;
}

SearchCurve curve_of(const PredictedExploration& replay) {
  return {.seed = replay.request().seed,
          .num_measured = replay.events().size(),
          .best = best_so_far(replay.events()),
          .seconds = replay.seconds(),
          .ending = replay.ending(),
          .num_left_out = replay.num_left_out(),
          .figures = replay.figures()};
}

using ReplayTold = std::function<void(std::size_t replay, const std::string& search)>;

// Adds the replays to the comparison, until all are done or it is cancelled.
void replay_all(Session& session, const ReplayRequest& request, const ReplayTold& told,
                CurveComparison& comparison) {
  std::size_t num_before = 0;
  for (const std::string& search : request.searches) {
    SearchCurves& curves = comparison.replayed.emplace_back();
    curves.search = curves.label = search;
    for (std::size_t s = 0; s < request.num_seeds; ++s) {
      if (request.exploration.measurer.resources.was_cancelled()) return;
      told(num_before++, search);
      const auto replay = PredictedExploration::open(
          session, exploration_of(session, request, search, s + 1), request.stored);
      auto ran = replay ? (*replay)->run() : fail(replay.error());
      if (request.exploration.measurer.resources.was_cancelled()) return;
      if (!ran) {
        curves.fault = ran.error().message();
        num_before += request.num_seeds - s - 1;
        break;
      }
      curves.runs.push_back(curve_of(**replay));
      comparison.best_known = std::min(comparison.best_known, (*replay)->stored()->best());
    }
  }
}

}  // namespace

bool CurveComparison::has_times() const {
  const auto has_time = [](const SearchCurves& curves) {
    return std::ranges::any_of(curves.runs,
                               [](const SearchCurve& run) { return !run.best.empty(); });
  };
  return std::ranges::any_of(replayed, has_time) || std::ranges::any_of(recorded.kinds, has_time);
}

Expected<CurveComparison> compare_curves(Session& session, const ReplayRequest& request,
                                         const ReplayTold& told) {
  THALLO_CHECK(check_searches(session, request.searches));
  THALLO_TRY(auto comparison, stored_comparison(session, request));
  try {
    replay_all(session, request, told, comparison);
  } catch (const Stopped&) {
    if (!request.exploration.measurer.resources.was_cancelled()) throw;
  }
  comparison.is_cancelled = request.exploration.measurer.resources.was_cancelled();
  return comparison;
}

}  // namespace thallo
