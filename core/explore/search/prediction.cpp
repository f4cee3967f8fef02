#include "core/explore/search/prediction.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/base/seconds_since.h"
#include "core/base/stop_scope.h"
#include "core/explore/learn/stored_training_set.h"
#include "core/explore/measure/stored_results.h"
#include "core/explore/search/search_input.h"

namespace thallo {

Expected<std::unique_ptr<PredictedExploration>> PredictedExploration::open(
    Session& session, ExplorationRequest request,
    const std::optional<StoredTimesOptions>& replayed) {
  THALLO_TRY(const auto search, complete_search(session.searches(), request));
  const ExplorationTarget& target = request.target;
  THALLO_TRY(auto opened, ExploredProblem::open(session, target));
  auto problem = std::make_unique<ExploredProblem>(std::move(opened));
  std::unique_ptr<StoredTimes> stored;
  if (replayed) {
    THALLO_TRY(stored, StoredTimes::open(request.measurer.resources.store, *problem, *replayed));
  }
  THALLO_TRY(auto device,
             stored ? Expected<DeviceSpec>(stored->spec())
                    : session.device_spec(target.device_spec, target.backend, target.device));
  std::unique_ptr<PredictedExploration> prediction(
      new PredictedExploration(session, std::move(request), *search, std::move(problem),
                               std::move(device), std::move(stored)));
  THALLO_CHECK(check_pins(prediction->full_));
  return prediction;
}

PredictedExploration::PredictedExploration(Session& session, ExplorationRequest request,
                                           const Search& search,
                                           std::unique_ptr<ExploredProblem> problem,
                                           DeviceSpec device, std::unique_ptr<StoredTimes> stored)
    : request_(std::move(request)),
      search_(search),
      problem_(std::move(problem)),
      stored_(std::move(stored)),
      device_(std::move(device)),
      fitting_(*problem_, request_.target.memory_limit, device_.memory),
      full_(problem_->file.energy, *problem_->constructs, problem_->program.precision,
            &fitting_.limit(), request_.pins) {
  const Binding& binding = problem_->instance.binding;
  const auto maps = map_statistics(problem_->file.energy, binding);
  for (const CostModelRegistry::Entry* entry : session.cost_models().entries()) {
    pricers_[entry->name] = std::make_unique<PlanPricer>(
        problem_->file.energy, binding, maps, problem_->price_options(*entry->item), device_);
  }
}

Expected<void> PredictedExploration::run() {
  Expected<void> searched;
  try {
    searched = search();
  } catch (const Stopped&) {
    if (!is_over()) throw;  // what was found before it was cancelled is kept
  }
  seconds_ = seconds_since(start_);
  if (searched) scale_to_price();
  return searched;
}

// Estimates are multiplied by the price of the chosen schedule over its estimate, so that it has
// here the time that it has elsewhere, in the list and in what the search reports.
void PredictedExploration::scale_to_price() {
  if (!chosen_) return;
  const std::map<std::string, double> estimates = schedules_[*chosen_].seconds;
  const auto plan = problem_->plan_of(schedules_[*chosen_].proposal.schedule);
  if (!plan) return;
  const ProgramWork work = pricers_.begin()->second->price(*plan).work;
  for (const auto& [model, pricer] : pricers_) {
    const PriceOptions& options = pricer->options();
    const double scale =
        predict(*options.model, work, device_, options.counts).nonlinear_iteration /
        estimates.at(model);
    if (!std::isfinite(scale)) continue;
    for (PredictedSchedule& its : schedules_) its.seconds[model] *= scale;
    if (model != request_.target.model) continue;
    for (SearchFigure& figure : figures_)
      if (figure.unit == SearchFigure::Unit::Estimate) figure.value *= scale;
  }
}

Expected<void> PredictedExploration::search() {
  std::vector<NamedProposal> named = named_proposals(*problem_, device_);
  place_in(request_.space, full_, named);
  SearchSubject subject{request_, *problem_, full_, device_, fitting_};
  if (stored_ && stored_->kind() == ResultKind::Composed) {
    subject.measured_steps = [this](std::span<const std::string> hashes) {
      std::set<std::string> steps;
      for (const std::string& hash : hashes) steps.merge(stored_->composed_of(hash));
      return read_training_set(stored_->store(), problem_->signature, stored_->device(), hashes,
                               std::move(steps));
    };
  }
  SearchSpace space = search_input(subject, named);
  for (const Proposal& its : first_proposals(named, space)) add(its);
  for (const NamedProposal& its : named) {
    const auto found = numbers_.find(its.proposal.hash);
    if (found == numbers_.end()) continue;
    schedules_[found->second].names.push_back(its.name);
    schedules_[found->second].keeps_pins = its.keeps_pins;
  }
  space.seconds = [this](const std::string& hash) { return seconds_of(hash); };
  if (stored_) {
    space.timed = [this]() -> Expected<std::vector<Proposal>> {
      THALLO_TRY(const auto texts, timed_schedules(stored_->store(), problem_->signature));
      return proposals_of(texts, *problem_, request_.space, full_);
    };
  }
  space.is_over = [this] { return is_over(); };
  space.tell = [this](const SearchFigures& figures) { told_(figures); };
  THALLO_TRY(const auto search_run, search_.start(space));
  while (!is_over()) {
    const std::vector<Proposal> batch = search_run->next();
    figures_ = search_run->figures();
    remark_ = search_run->remark();
    for (const Proposal& proposal : batch) {
      if (stored_ && is_over()) break;  // a look-up may take some milliseconds
      add(proposal);
      const auto found = numbers_.find(proposal.hash);
      if (found == numbers_.end()) continue;
      proposed_.push_back(proposal.hash);
      const double seconds = seconds_of(schedules_[found->second]);
      if (std::isfinite(seconds) && (!chosen_ || seconds < seconds_of(schedules_[*chosen_])))
        chosen_ = found->second;
    }
    if (batch.empty()) break;
  }
  ending_ = request_.measurer.resources.was_cancelled() ? SearchEnding::Cancelled
            : is_over()                                 ? SearchEnding::OutOfTime
                                                        : SearchEnding::Finished;
  return {};
}

double PredictedExploration::seconds_of(const PredictedSchedule& its) const {
  return stored_ ? *its.stored : its.seconds.at(request_.target.model);
}

std::optional<double> PredictedExploration::seconds_of(const std::string& hash) const {
  const auto found = numbers_.find(hash);
  if (found == numbers_.end()) return {};
  return seconds_of(schedules_[found->second]);
}

// A schedule without a program has no price, and is left out.
void PredictedExploration::add(const Proposal& proposal) {
  if (numbers_.contains(proposal.hash) || left_out_.contains(proposal.hash)) return;
  const auto plan = problem_->plan_of(proposal.schedule);
  if (!plan) return;
  PredictedSchedule its{.proposal = proposal};
  if (stored_) {
    its.stored = stored_->seconds(proposal);
    if (!its.stored) {
      left_out_.insert(proposal.hash);
      return;
    }
    if (std::isfinite(*its.stored)) events_.push_back({seconds_since(start_), *its.stored});
  }
  for (const auto& [model, pricer] : pricers_)
    its.seconds[model] = pricer->estimated_seconds(*plan);
  numbers_[proposal.hash] = schedules_.size();
  schedules_.push_back(std::move(its));
}

std::vector<PredictedSchedule> PredictedExploration::schedules() const {
  std::vector<PredictedSchedule> sorted = schedules_;
  std::ranges::stable_sort(sorted, {},
                           [this](const PredictedSchedule& its) { return seconds_of(its); });
  return sorted;
}

bool PredictedExploration::is_over() const {
  const MeasurementOptions& resources = request_.measurer.resources;
  return resources.was_cancelled() ||
         (resources.budget && std::chrono::steady_clock::now() - start_ > *resources.budget);
}

}  // namespace thallo
