#pragma once

// How soon searches find fast schedules: the best time so far, of several runs of each search that
// differ in their seeds, against the schedules that were measured and against seconds. Runs are
// recorded in a store, or replayed on one (replayed_curves.h).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/explore/measure/best_so_far.h"
#include "core/explore/store/store_records.h"

namespace thallo {

// What a run of a search has found.
struct SearchCurve {
  std::uint64_t seed = 1;
  std::size_t num_measured = 0;  // schedules that got a time
  std::vector<BestPoint> best = {};
  std::vector<std::string> schedules = {};  // of a recorded run: the hash of each best one
  double seconds = 0;                       // that the run took
  SearchEnding ending = SearchEnding::Open;
  std::optional<std::size_t> num_left_out = {};  // of a replay: schedules without a time there
  SearchFigures figures = {};                    // what the search reported last
};

// Runs of a search that differ in their seeds alone.
struct SearchCurves {
  std::string search;  // its name
  std::string label;   // the name, and what tells these runs from other runs of the search
  std::vector<SearchCurve> runs = {};
  std::string fault = {};  // why it cannot be replayed; empty if it can
};

// Named schedules may be a hundred times as slow, and all curves begin with them: axes of times end
// at so many times the best known, where slower times stand.
inline constexpr double LargestShownFactor = 5;

// The best times of several runs at one place of the axis. Each is infinite where fewer runs than
// it needs have a time.
struct MedianPoint {
  double at = 0;  // schedules measured, or seconds
  double median = 0;
  double least = 0, most = 0;  // of the fastest run, and of the slowest
};

// Returns the best times of the runs at this place. A run that has ended stays at its last one.
// There must be a run.
MedianPoint median_at(const SearchCurves& curves, CurveAxis axis, double at);
// Returns the best times at all places at which that of a run improves, and at that where the
// longest run ends. Nothing if no run has a time.
std::vector<MedianPoint> median_curve(const SearchCurves& curves, CurveAxis axis);
// Returns curve_stops() of the longest run.
std::vector<double> stops_of(std::span<const SearchCurves> all, CurveAxis axis);

// The runs of a store.
struct RecordedCurves {
  std::vector<SearchCurves> kinds;  // the search that was run last comes last; 12 at most
  std::size_t num_other_runs = 0;   // those of earlier kinds, or that compare times of another kind
};
RecordedCurves recorded_curves(std::vector<SearchRunRecord> runs, ResultKind kind);

}  // namespace thallo
