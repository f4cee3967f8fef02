#pragma once

// Finds out what switches of a search buy: runs it once for every combination of them on and off,
// by predicted times, and compares effort and result.

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/measure/stored_times.h"
#include "core/explore/search/exploration_request.h"
#include "core/plugin/session.h"

namespace thallo {

struct AblationRow {
  std::vector<std::pair<std::string, bool>> switches;  // all on in the first row
  SearchFigures figures = {};
  double searched = 0;    // seconds
  bool has_ended = true;  // false if the budget ended the search; then all figures are lower bounds
  // Predicted seconds of the best schedule that was proposed; infinite if there is none.
  double best = std::numeric_limits<double>::infinity();
  std::string chosen = {};            // hash of that schedule
  std::optional<double> stored = {};  // its seconds in a store; infinite if it failed there
};

struct Ablation {
  std::vector<AblationRow> rows;
  // The least seconds of the problem's schedules in the store; infinite without a store.
  double best_known = std::numeric_limits<double>::infinity();

  // The least predicted seconds of all rows.
  double best() const;
};

// There may be this many switches; the number of runs doubles with each.
inline constexpr std::size_t MostSwitches = 8;

// Runs the search of the request 2^n times; each run may use the whole budget. `told` is called
// before each run with its number, then after the last one. With `stored`, the store of the request
// says how long the schedules take that were chosen. Fails if there are more than MostSwitches, if
// the search has no switch (an option that is on or off) of one of these names, or if
// PredictedExploration or StoredTimes::open() fails.
Expected<Ablation> ablate(Session& session, const ExplorationRequest& request,
                          const std::vector<std::string>& switches,
                          const std::optional<StoredTimesOptions>& stored,
                          const std::function<void(std::size_t run)>& told);

}  // namespace thallo
