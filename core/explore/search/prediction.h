#pragma once

// Predicts the times of what a search proposes, and of the named schedules. Nothing is compiled and
// no worker is started: estimates of plans (core/cost/pricing) take the place of measured times,
// also for searches that go by times. A replay takes the times that a store has instead, so that
// searches can be compared by what they would have measured.
//
//   auto prediction = PredictedExploration::open(session, request);
//   if (auto ran = (*prediction)->run(); !ran) ...
//   for (const PredictedSchedule& its : (*prediction)->schedules()) show(its);

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/explore/measure/best_so_far.h"
#include "core/explore/measure/stored_times.h"
#include "core/explore/search/exploration_request.h"
#include "core/explore/search/fitting_schedules.h"
#include "core/explore/search/named_proposals.h"

namespace thallo {

struct PredictedSchedule {
  Proposal proposal;
  std::vector<std::string> names;         // if it is a named schedule
  bool keeps_pins = true;                 // false for some named schedules only
  std::map<std::string, double> seconds;  // of a nonlinear iteration, by cost model
  std::optional<double> stored = {};      // the store's; infinite if it failed. Set by a replay
};

class PredictedExploration {
 public:
  // With `replayed`, replays the search on the store of the request (MeasurementOptions::store):
  // times are what the store has of the device, and schedules that it has no time of are left out.
  // Fails if the problem or the device's spec cannot be opened, or if check_search(), check_pins()
  // or StoredTimes::open() fails. The session and the request's space must outlive the result.
  static Expected<std::unique_ptr<PredictedExploration>> open(
      Session& session, ExplorationRequest request,
      const std::optional<StoredTimesOptions>& replayed = {});
  PredictedExploration(const PredictedExploration&) = delete;
  PredictedExploration& operator=(const PredictedExploration&) = delete;

  using SearchTold = std::function<void(const SearchFigures&)>;
  void on_search_told(SearchTold told) { told_ = std::move(told); }
  // Returns when the search has ended, the budget is used up, or it was cancelled.
  Expected<void> run();

  const ExplorationRequest& request() const { return request_; }
  const ExploredProblem& problem() const { return *problem_; }
  const DeviceSpec& device() const { return device_; }
  const FittingSchedules& fitting() const { return fitting_; }
  // Returns the schedules, those first that are the fastest: by the request's model, or by the
  // store.
  std::vector<PredictedSchedule> schedules() const;
  // The hashes of what the search proposed, in its order, without what was left out.
  const std::vector<std::string>& proposed() const { return proposed_; }
  // Null unless this is a replay.
  const StoredTimes* stored() const { return stored_.get(); }
  // How many schedules were left out since the store has no time of them.
  std::size_t num_left_out() const { return left_out_.size(); }
  // The schedules of a replay in the order in which they were looked up, without failed ones.
  const std::vector<TimedEvent>& events() const { return events_; }
  // Seconds from the beginning to the end of the search, by the clock of the events.
  double seconds() const { return seconds_; }
  // Finished if the search has proposed everything.
  SearchEnding ending() const { return ending_; }
  const SearchFigures& figures() const { return figures_; }
  const std::string& remark() const { return remark_; }

 private:
  PredictedExploration(Session& session, ExplorationRequest request, const Search& search,
                       std::unique_ptr<ExploredProblem> problem, DeviceSpec device,
                       std::unique_ptr<StoredTimes> stored);
  Expected<void> search();
  void scale_to_price();
  void add(const Proposal& proposal);
  double seconds_of(const PredictedSchedule& its) const;
  std::optional<double> seconds_of(const std::string& hash) const;
  bool is_over() const;

  ExplorationRequest request_;
  const Search& search_;
  std::unique_ptr<ExploredProblem> problem_;  // stays in place: stored_ refers to it
  std::unique_ptr<StoredTimes> stored_;
  DeviceSpec device_;
  FittingSchedules fitting_;
  ScheduleSpace full_;
  std::map<std::string, std::unique_ptr<PlanPricer>> pricers_;  // by model
  std::vector<PredictedSchedule> schedules_;
  std::map<std::string, std::size_t> numbers_;  // in schedules_, by hash
  SearchTold told_ = [](const SearchFigures&) {};
  std::optional<std::size_t> chosen_;  // in schedules_
  std::vector<std::string> proposed_;
  std::set<std::string> left_out_;  // hashes
  std::vector<TimedEvent> events_;
  double seconds_ = 0;
  SearchEnding ending_ = SearchEnding::Open;
  SearchFigures figures_;
  std::string remark_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace thallo
