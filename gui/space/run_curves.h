// How soon the searches that the store has recorded found fast schedules, as the page shows it: one
// curve a run.
#pragma once

#include <cstddef>
#include <vector>

#include <QString>

#include "core/explore/store/store_records.h"

namespace thallo::gui {

struct RunCurve {
  // A schedule that was faster than all before it.
  struct Step {
    std::size_t measured = 0;  // schedules so far, this one included
    double at = 0;             // seconds since the run began
    double seconds = 0;        // of a nonlinear iteration
    QString hash;
  };

  QString search;  // its name
  // The search, with what tells the run from others: "beam, width=8", "random, seed 2".
  QString label;
  std::vector<Step> steps;  // at least one
  std::size_t numMeasured = 0;
  double seconds = 0;    // that it took so far
  bool isOpen = false;   // true until it has ended; one that was killed stays so
  QString figures = {};  // what the search reports about itself; empty if nothing

  // "beam: 1.20 ms after 40 schedules in 12 s"
  QString summary() const;
};

// Returns the latest runs that found a schedule by times of this kind, the latest one last; eight
// at most.
std::vector<RunCurve> runCurves(std::vector<SearchRunRecord> runs, ResultKind kind);

}  // namespace thallo::gui
