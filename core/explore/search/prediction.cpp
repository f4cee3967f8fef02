#include "core/explore/search/prediction.h"

#include <algorithm>
#include <utility>

#include "core/explore/search/search_input.h"

namespace thallo {
namespace {

constexpr double Never = std::numeric_limits<double>::infinity();

}  // namespace

Expected<std::unique_ptr<PredictedExploration>> PredictedExploration::open(
    Session& session, ExplorationRequest request) {
  const auto search = complete_search(session.searches(), request);
  if (!search) return fail(search.error());
  const ExplorationTarget& target = request.target;
  auto problem = ExploredProblem::open(session, target);
  if (!problem) return fail(problem.error());
  auto device = session.device_spec(target.device_spec, target.backend, target.device);
  if (!device) return fail(device.error());
  return std::unique_ptr<PredictedExploration>(new PredictedExploration(
      session, std::move(request), **search, *std::move(problem), *std::move(device)));
}

PredictedExploration::PredictedExploration(Session& session, ExplorationRequest request,
                                           const Search& search, ExploredProblem problem,
                                           DeviceSpec device)
    : request_(std::move(request)),
      search_(search),
      problem_(std::move(problem)),
      device_(std::move(device)),
      fitting_(problem_, request_.target.memory_limit, device_.memory),
      full_(problem_.file.energy, *problem_.constructs, problem_.precision, &fitting_.limit()) {
  const Binding& binding = problem_.instance.binding;
  const auto maps = map_statistics(problem_.file.energy, binding);
  for (const CostModelRegistry::Entry* entry : session.cost_models().entries()) {
    pricers_[entry->name] = std::make_unique<PlanPricer>(
        problem_.file.energy, binding, maps, problem_.price_options(*entry->item), device_);
  }
}

Expected<void> PredictedExploration::run() {
  std::vector<NamedProposal> named = named_proposals(problem_, device_);
  for (NamedProposal& its : named) {
    its.proposal.index = index_in(request_.space, its.proposal.schedule);
    add(its.proposal);
    schedules_[numbers_.at(its.proposal.hash)].names.push_back(its.name);
  }
  SearchSpace space = search_input({request_, problem_, full_, device_, fitting_}, named);
  space.seconds = [this](const std::string& hash) { return seconds_of(hash); };
  space.is_over = [this] { return is_over(); };
  space.tell = [this](const SearchFigures& figures) { told_(figures); };
  const auto search_run = search_.start(space);
  if (!search_run) return fail(search_run.error());
  while (!is_over()) {
    const std::vector<Proposal> batch = (*search_run)->next();
    figures_ = (*search_run)->figures();
    remark_ = (*search_run)->remark();
    for (const Proposal& proposal : batch) {
      add(proposal);
      least_proposed_ = std::min(least_proposed_, seconds_of(proposal.hash).value_or(Never));
    }
    if (batch.empty()) break;
  }
  has_ended_ = !is_over();
  return {};
}

std::optional<double> PredictedExploration::seconds_of(const std::string& hash) const {
  const auto found = numbers_.find(hash);
  if (found == numbers_.end()) return {};
  return schedules_[found->second].seconds.at(request_.target.model);
}

// A schedule without a program has no price, and is left out.
void PredictedExploration::add(const Proposal& proposal) {
  if (numbers_.contains(proposal.hash)) return;
  const auto plan = problem_.plan_of(proposal.schedule);
  if (!plan) return;
  PredictedSchedule its{proposal, {}, {}};
  for (const auto& [model, pricer] : pricers_) its.seconds[model] = pricer->seconds(*plan);
  numbers_[proposal.hash] = schedules_.size();
  schedules_.push_back(std::move(its));
}

std::vector<PredictedSchedule> PredictedExploration::schedules() const {
  std::vector<PredictedSchedule> sorted = schedules_;
  std::ranges::stable_sort(sorted, {}, [this](const PredictedSchedule& its) {
    return its.seconds.at(request_.target.model);
  });
  return sorted;
}

bool PredictedExploration::is_over() const {
  const MeasurementOptions& resources = request_.measurer.resources;
  if (resources.is_cancelled != nullptr && *resources.is_cancelled) return true;
  return resources.budget && std::chrono::steady_clock::now() - start_ > *resources.budget;
}

}  // namespace thallo
