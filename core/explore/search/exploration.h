#pragma once

// Runs an exploration from beginning to end: it measures the named schedules first, then what a
// search proposes, and finally times whole solves of the best. The command line and the app use
// this same class.
//
//   auto exploration = Exploration::open(session, request);
//   if (!exploration) ...
//   (*exploration)->on_progress(...);
//   if (auto ran = (*exploration)->run(); !ran) ...
//
// Measurements are written to the store at once, and so is what the search finds, as a run. An
// exploration that was cancelled or ran out of time continues where it stopped when the same
// request is run again.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/explore/measure/measurer.h"
#include "core/explore/search/exploration_request.h"
#include "core/explore/search/fitting_schedules.h"
#include "core/explore/search/named_proposals.h"
#include "core/explore/search/run_recorder.h"

namespace thallo {

// Says how an exploration ended.
struct ExplorationEnd {
  enum class Why {
    Finished,   // everything that the search proposes was processed
    NoMore,     // the search found fewer schedules than were asked for
    OutOfTime,  // the time budget is used up
    Cancelled
  };
  Why why = Why::Finished;
  std::optional<std::int64_t> asked;  // how many schedules were to be drawn
  // How many schedules the search proposed (of the shard), not counting the named ones that it
  // began with.
  std::int64_t proposed = 0;
  std::int64_t timed = 0;
  std::map<ResultStatus, std::int64_t> failed = {};
  std::int64_t passed_over = 0;  // draws skipped because they already had a result
  SearchFigures figures = {};    // what the search reports about itself
  std::string remark = {};       // SearchRun::remark(), or what a shard had of all proposals
};

class Exploration {
 public:
  // Opens the store and, in a worker process, the problem and its device. Fails if one of these
  // cannot be opened, or if check_search() or check_pins() fails. The session and the request's
  // space must outlive the result.
  static Expected<std::unique_ptr<Exploration>> open(Session& session, ExplorationRequest request);
  Exploration(const Exploration&) = delete;
  Exploration& operator=(const Exploration&) = delete;

  // The callback is called on the thread of run().
  void on_progress(Measurer::Progress progress) { measurer_->on_progress(std::move(progress)); }
  // The same for what the search reports about itself.
  using SearchTold = std::function<void(const SearchFigures&)>;
  void on_search_told(SearchTold told) { search_told_ = std::move(told); }
  // Returns when everything is done, the budget is used up, or the exploration was cancelled. Fails
  // if the search cannot search the space, or if Measurer::explore() fails.
  Expected<void> run();

  // The request, with all options of the search.
  const ExplorationRequest& request() const { return request_; }
  const Measurer& measurer() const { return *measurer_; }
  const FittingSchedules& fitting() const { return fitting_; }
  // The schedules that every report marks, with their numbers; available once run() has returned.
  const std::vector<NamedProposal>& named() const { return named_; }
  // The hashes of the schedules that the search proposed (of the shard), in this order.
  const std::vector<std::string>& proposed() const { return proposed_; }
  // Available once run() has returned.
  ExplorationEnd end() const;
  double search_seconds() const { return search_seconds_; }  // without whole solves at its end
  SearchEnding ending() const;                               // as the store has it
  // True if at least one schedule was measured or has failed.
  bool has_measured() const;

 private:
  Exploration(ExplorationRequest request, const Search& search, std::unique_ptr<Measurer> measurer,
              ExploredProblem problem);
  void find_named();
  Expected<void> search();
  Expected<void> explore_all(SearchRun& search_run, const SearchSpace& space);
  std::vector<Proposal> propose(SearchRun& search_run);
  void hear(const SearchRun& search_run);  // what it reports about itself
  void tell(const SearchFigures& figures);
  SearchSpace search_space();
  bool may_draw(const std::string& hash);
  Expected<std::vector<Proposal>> timed_proposals() const;
  Expected<void> solve_best();
  std::vector<std::string> composed_ones() const;
  bool keeps_pins(const std::string& hash) const;
  std::vector<std::string> best_unsolved() const;

  ExplorationRequest request_;
  const Search& search_;
  std::unique_ptr<Measurer> measurer_;
  ExploredProblem problem_;
  FittingSchedules fitting_;
  ScheduleSpace full_;
  std::vector<NamedProposal> named_;
  std::vector<std::string> proposed_;     // hashes of the schedules that the search proposed
  std::int64_t num_of_other_shards_ = 0;  // that it also proposed
  std::set<std::string> passed_over_;     // hashes of the draws that were skipped
  bool has_ended_ = false;                // true if the search had nothing more to propose
  SearchTold search_told_ = [](const SearchFigures&) {};
  std::optional<RunRecorder> recorder_;  // of the run, once the search has begun
  double search_seconds_ = 0;
  SearchFigures figures_;
  std::string remark_;
};

}  // namespace thallo
