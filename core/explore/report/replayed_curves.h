#pragma once

// Compares how soon searches find fast schedules: replays each of them, with several seeds, on the
// times of a store, and reads beside them what the store recorded of explorations. Nothing is
// compiled or measured, so the seconds of a replay are those of searching and of looking up.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/explore/measure/stored_times.h"
#include "core/explore/report/search_curves.h"
#include "core/explore/search/exploration_request.h"

namespace thallo {

struct ReplayRequest {
  // What each replay does, with the store and the budget of one. Its search and its seed are
  // replaced; its number of schedules is for the searches that take one.
  ExplorationRequest exploration;
  StoredTimesOptions stored = {};
  std::vector<std::string> searches = {"random", "greedy", "beam", "autotune"};
  std::size_t num_seeds = 5;  // the seeds are 1, 2, 3 ...
};

struct CurveComparison {
  std::string problem, title;  // "curve_fit", and its data
  std::string store;           // the file
  DeviceRecord device;
  ResultKind kind = ResultKind::Composed;  // of the times that are compared
  double best_known = 0;  // the least seconds of all that the store says; infinite without a time
  std::vector<SearchCurves> replayed = {};
  RecordedCurves recorded = {};
  bool is_cancelled = false;  // true if it ended before all replays were done

  // True if at least one run has a time.
  bool has_times() const;
};

// `told` is called before each replay with the number of those before it. A search that cannot be
// replayed has a fault in the result. Ends early when the exploration's `is_cancelled` is set; the
// replay that was cancelled is not in the result. Fails if a search is unknown or named twice, or
// if StoredTimes::open() fails.
Expected<CurveComparison> compare_curves(
    Session& session, const ReplayRequest& request,
    const std::function<void(std::size_t replay, const std::string& search)>& told);

}  // namespace thallo
