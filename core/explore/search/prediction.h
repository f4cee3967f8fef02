#pragma once

// Predicts the times of what a search proposes, and of the named schedules. Nothing is compiled, no
// worker is started and no store is opened: prices of plans (core/cost/pricing) take the place of
// measured times, also for searches that go by times.
//
//   auto prediction = PredictedExploration::open(session, request);
//   if (auto ran = (*prediction)->run(); !ran) ...
//   for (const PredictedSchedule& its : (*prediction)->schedules()) show(its);

#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/explore/search/exploration_request.h"
#include "core/explore/search/fitting_schedules.h"
#include "core/explore/search/named_proposals.h"

namespace thallo {

struct PredictedSchedule {
  Proposal proposal;
  std::vector<std::string> names;         // if it is a named schedule
  std::map<std::string, double> seconds;  // of a nonlinear iteration, by cost model
};

class PredictedExploration {
 public:
  // Fails if the problem or the device's spec cannot be opened, or if check_search() fails. The
  // session and the request's space must outlive the result.
  static Expected<std::unique_ptr<PredictedExploration>> open(Session& session,
                                                              ExplorationRequest request);
  PredictedExploration(const PredictedExploration&) = delete;
  PredictedExploration& operator=(const PredictedExploration&) = delete;

  using SearchTold = std::function<void(const SearchFigures&)>;
  void on_search_told(SearchTold told) { told_ = std::move(told); }
  // Returns when the search has ended, the budget is used up, or it was cancelled.
  Expected<void> run();

  const ExplorationRequest& request() const { return request_; }
  const ExploredProblem& problem() const { return problem_; }
  const DeviceSpec& device() const { return device_; }
  const FittingSchedules& fitting() const { return fitting_; }
  // Returns the schedules, those first that the request's model predicts to be fastest.
  std::vector<PredictedSchedule> schedules() const;
  // Returns the least predicted seconds of what the search proposed; infinite if it proposed
  // nothing.
  double least_proposed() const { return least_proposed_; }
  // False if the search was ended before it had proposed everything.
  bool has_ended() const { return has_ended_; }
  const SearchFigures& figures() const { return figures_; }
  const std::string& remark() const { return remark_; }

 private:
  PredictedExploration(Session& session, ExplorationRequest request, const Search& search,
                       ExploredProblem problem, DeviceSpec device);
  void add(const Proposal& proposal);
  std::optional<double> seconds_of(const std::string& hash) const;
  bool is_over() const;

  ExplorationRequest request_;
  const Search& search_;
  ExploredProblem problem_;
  DeviceSpec device_;
  FittingSchedules fitting_;
  ScheduleSpace full_;
  std::map<std::string, std::unique_ptr<PlanPricer>> pricers_;  // by model
  std::vector<PredictedSchedule> schedules_;
  std::map<std::string, std::size_t> numbers_;  // in schedules_, by hash
  SearchTold told_ = [](const SearchFigures&) {};
  double least_proposed_ = std::numeric_limits<double>::infinity();
  bool has_ended_ = false;
  SearchFigures figures_;
  std::string remark_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace thallo
