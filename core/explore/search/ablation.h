#pragma once

// Finds out what switches of a search buy: runs it once for every combination of them on and off,
// by predicted times, and compares effort and result.

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

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
};

// Runs the search of the request 2^n times; each run may use the whole budget. `told` is called
// before each run with its number, then after the last one. Fails if the search has no switch (an
// option that is on or off) of one of these names, or if PredictedExploration fails.
Expected<std::vector<AblationRow>> ablate(Session& session, const ExplorationRequest& request,
                                          const std::vector<std::string>& switches,
                                          const std::function<void(std::size_t run)>& told);

}  // namespace thallo
