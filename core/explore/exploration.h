#pragma once

// An exploration from its beginning to its end: the named schedules first, then what a search proposes,
// and at last whole solves of the best. The command line and the app run the same one.
//
//   auto exploration = Exploration::open(session, request);
//   if (!exploration) ...
//   (*exploration)->on_progress(...);
//   if (auto ran = (*exploration)->run(); !ran) ...
//
// What is measured is in the store at once. An exploration that was cancelled, or ran out of time,
// goes on where it was when the same request is run again.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/explore/explored_space.h"
#include "core/explore/explorer.h"
#include "core/explore/fitting_schedules.h"
#include "core/explore/indexed_space.h"
#include "core/explore/named_proposals.h"

namespace thallo {

struct ExplorationRequest {
  ExplorationTarget target;
  std::string search = "exhaustive";
  const IndexedSpace* space = nullptr;    // null: all schedules, without numbers
  std::string space_name{FullSpaceName};  // or of a part of it, "published"
  std::optional<BigCount> first, end;     // of the space; absent: all of it
  std::optional<std::int64_t> samples;
  std::uint64_t seed = 1;
  // Of these, the space is set by the exploration.
  ExplorerOptions explorer;
  int num_best = 5;    // that are run end to end where steps are measured
  int num_random = 0;  // others that are run end to end
};

// Fails when there is no such search, and when it cannot heed what the request says of the space, the
// range and the number of schedules.
Expected<void> check_search(const ExplorationRequest& request);

class Exploration {
 public:
  // Opens the store and, in a worker, the problem and its device. Fails as these and check_search() do.
  // The session and the space of the request must outlive the result.
  static Expected<std::unique_ptr<Exploration>> open(Session& session, ExplorationRequest request);
  Exploration(const Exploration&) = delete;
  Exploration& operator=(const Exploration&) = delete;

  // Called on the thread of run().
  void on_progress(Explorer::Progress progress) { explorer_.on_progress(std::move(progress)); }
  // Returns when all is done, when the budget is used up, and when it was cancelled. Fails when the
  // search cannot search the space, and as Explorer::explore().
  Expected<void> run();

  const ExplorationRequest& request() const { return request_; }
  const Explorer& explorer() const { return explorer_; }
  const FittingSchedules& fitting() const { return fitting_; }
  // The schedules that every report marks, with their numbers. Known when run() has returned.
  const std::vector<NamedProposal>& named() const { return named_; }
  // Has a single schedule a time, or a reason why it has none?
  bool has_measured() const;

 private:
  Exploration(ExplorationRequest request, Explorer explorer, ExploredProblem problem);
  void find_named();
  Expected<void> search();
  SearchSpace search_space();
  Expected<std::vector<Proposal>> timed_proposals() const;
  Expected<void> solve_best();
  std::vector<std::string> composed_ones() const;
  std::vector<std::string> best_unsolved() const;

  ExplorationRequest request_;
  Explorer explorer_;
  ExploredProblem problem_;
  FittingSchedules fitting_;
  ScheduleSpace full_;
  SearchRegistry searches_ = searches();
  std::vector<NamedProposal> named_;
};

}  // namespace thallo
