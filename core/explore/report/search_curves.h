#pragma once

// How soon searches find fast schedules: the best time so far, of several runs of each search that
// differ in their seeds, against the schedules that were measured and against seconds, as a store
// has recorded them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/explore/measure/best_so_far.h"
#include "core/explore/store/store_records.h"

namespace thallo {

// What a recorded run of a search has found.
struct SearchCurve {
  std::uint64_t seed = 1;
  std::size_t num_measured = 0;  // schedules that got a time
  std::vector<BestPoint> best = {};
  std::vector<std::string> schedules = {};  // the hash of each best one
  double seconds = 0;                       // that the run took
  SearchEnding ending = SearchEnding::Open;
  SearchFigures figures = {};  // what the search reported last
};

// Runs of a search that differ in their seeds alone.
struct SearchCurves {
  std::string label;  // the search's name, and what tells these runs from other runs of the search
  std::vector<SearchCurve> runs = {};
};

// Returns the runs of a store that compare times of this kind: 12 kinds of runs at most, of which
// the search that was run last comes last.
std::vector<SearchCurves> recorded_curves(std::vector<SearchRunRecord> runs, ResultKind kind);

}  // namespace thallo
