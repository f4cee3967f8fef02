#pragma once

// An exploration from its beginning to its end: the named schedules first, then what a search
// proposes, and at last whole solves of the best. The command line and the app run the same one.
//
//   auto exploration = Exploration::open(session, request);
//   if (!exploration) ...
//   (*exploration)->on_progress(...);
//   if (auto ran = (*exploration)->run(); !ran) ...
//
// What is measured is in the store at once. An exploration that was cancelled, or ran out of time,
// goes on where it was when the same request is run again.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
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
  // Draws at random pass over schedules that the store has a result of from before this time, in
  // seconds since 1970: absent, the same request draws the same schedules.
  std::optional<std::int64_t> fresh_since = {};
  // Of these, the space is set by the exploration.
  ExplorerOptions explorer;
  int num_best = 5;    // that are run end to end where steps are measured
  int num_random = 0;  // others that are run end to end
};

// Fails when there is no such search, and when it cannot heed what the request says of the space,
// the range and the number of schedules.
Expected<void> check_search(const ExplorationRequest& request);

// How an exploration came to its end.
struct ExplorationEnd {
  enum class Why {
    Finished,   // with all that the search looks at
    NoMore,     // it found fewer schedules than were asked for
    OutOfTime,  // the budget is used up
    Cancelled
  };
  Why why = Why::Finished;
  std::optional<std::int64_t> asked;  // how many schedules were to be drawn
  // Of the schedules that the search proposed, without the named ones it began with.
  std::int64_t proposed = 0;
  std::int64_t timed = 0;
  std::map<ResultStatus, std::int64_t> failed = {};
  std::int64_t passed_over = 0;  // draws that had a result before
};

class Exploration {
 public:
  // Opens the store and, in a worker, the problem and its device. Fails as these and check_search()
  // do. The session and the space of the request must outlive the result.
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
  // Known when run() has returned.
  ExplorationEnd end() const;
  // Has a single schedule a time, or a reason why it has none?
  bool has_measured() const;

 private:
  Exploration(ExplorationRequest request, Explorer explorer, ExploredProblem problem);
  void find_named();
  Expected<void> search();
  SearchSpace search_space();
  bool may_draw(const std::string& hash);
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
  std::vector<std::string> proposed_;  // hashes, by the search
  std::set<std::string> passed_over_;  // likewise
  bool has_ended_ = false;             // the search, by itself
};

}  // namespace thallo
