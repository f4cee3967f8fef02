#pragma once

// Records a run of a search in the store while it goes on: which schedules got a time, when, and
// what the search reports about itself. So the store says how soon a search finds what.
//
// A run that was ended or killed before its search had finished goes on when the same is asked for
// again, and so does its clock. What it has found already is no event again.

#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "core/explore/measure/measurer.h"
#include "core/explore/search/exploration_request.h"
#include "core/explore/store/store.h"

namespace thallo {

// Returns what is asked of the search of a request whose options are complete.
SearchRequest search_request(const ExplorationRequest& request, const ProblemRecord& problem,
                             const DeviceRecord& device, const ConstructRegistry& constructs);

class RunRecorder {
 public:
  // Begins the run; the clock runs from now on. The store must outlive the recorder. Fails if the
  // store cannot be written.
  static Expected<RunRecorder> begin(MeasurementStore& store, const ExplorationRequest& request,
                                     const ProblemRecord& problem, const DeviceRecord& device,
                                     const ConstructRegistry& constructs);

  // Writes the schedule at once, unless the run has it already.
  void add(const TimedSchedule& timed);
  // Writes what the search reports, if the last time was a second ago.
  void tell(const SearchFigures& figures);
  // Must be called when the search has ended. Fails if anything could not be written.
  Expected<void> end(SearchEnding ending, const SearchFigures& figures);
  double seconds() const;  // since the run began

 private:
  using Clock = std::chrono::steady_clock;

  RunRecorder(MeasurementStore& store, SearchRunRecord run);
  void write(std::span<const SearchEvent> events, SearchEnding ending);

  MeasurementStore* store_;
  SearchRunRecord run_;  // as it was begun
  SearchFigures figures_;
  std::set<std::string> found_;  // hashes
  Clock::time_point start_ = Clock::now(), written_ = start_;
  std::optional<Diagnostic> fault_;  // the first one
};

}  // namespace thallo
