#include "core/explore/search/search_input.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/stop_scope.h"
#include "core/cost/learned/corrected_model.h"

namespace thallo {
namespace {

// Adds a proposal that is not there yet.
void add_new(Proposal proposal, std::vector<Proposal>& proposals) {
  if (std::ranges::find(proposals, proposal.hash, &Proposal::hash) == proposals.end())
    proposals.push_back(std::move(proposal));
}

}  // namespace

SearchSpace search_input(const SearchSubject& subject, const std::vector<NamedProposal>& named) {
  const ExplorationRequest& request = subject.request;
  const ExploredProblem& problem = subject.problem;
  SearchSpace space{.energy = problem.file.energy,
                    .constructs = *problem.constructs,
                    .full = subject.full,
                    .indexed = request.space,
                    .samples = request.samples,
                    .seed = request.seed,
                    .options = request.search_options};
  const auto maps = std::make_shared<std::optional<std::map<MapId, MapStatistics>>>();
  const auto maker_of = [&problem, &device = subject.device,
                         maps](std::shared_ptr<const CostModel> model) -> PricerMaker {
    return [&problem, &device, maps, model = std::move(model)] {
      const Binding& binding = problem.instance.binding;
      if (!*maps) *maps = map_statistics(problem.file.energy, binding);
      return std::make_unique<PlanPricer>(problem.file.energy, binding, **maps,
                                          problem.price_options(*model), device);
    };
  };
  // The registry owns this model.
  const std::shared_ptr<const CostModel> prior(std::shared_ptr<void>(), problem.model);
  space.make_pricer = maker_of(prior);
  if (subject.measured_steps) {
    space.refit = [maker_of, prior, measured_steps = subject.measured_steps](
                      std::span<const std::string> hashes) -> Expected<PricerMaker> {
      THALLO_TRY(const auto set, measured_steps(hashes));
      return maker_of(corrected_model(prior, set));
    };
  }
  space.fits = [&fitting = subject.fitting](const Proposal& proposal) {
    return fitting.fits(proposal);
  };
  if (request.space != nullptr) {
    space.first = request.first.value_or(0);
    space.end = request.end.value_or(request.space->size());
  }
  for (const NamedProposal& its : named) {
    if (its.keeps_pins) {
      add_new(its.proposal, space.start);
      continue;
    }
    auto nearest = subject.full.nearest(its.proposal.schedule);
    if (!nearest || !problem.plan_of(*nearest)) continue;
    auto index = index_in(request.space, *nearest);
    add_new(Proposal::of(*std::move(nearest), *problem.constructs, std::move(index)), space.start);
  }
  return space;
}

std::vector<Proposal> first_proposals(const std::vector<NamedProposal>& named,
                                      const SearchSpace& space) {
  std::vector<Proposal> first;
  for (const NamedProposal& its : named) add_new(its.proposal, first);
  for (const Proposal& its : space.start) add_new(its, first);
  return first;
}

Expected<void> check_pins(const ScheduleSpace& full) {
  auto checked = full.check_pins();
  if (checked) return checked;
  Diagnostic& why = checked.error();
  why.what = "what is pinned is not possible here: " + why.what;
  return fail(std::move(why));
}

std::vector<Proposal> next_proposals(SearchRun& search_run, const std::function<bool()>& is_over) {
  try {
    return search_run.next();
  } catch (const Stopped&) {
    if (!is_over()) throw;
    return {};
  }
}

std::vector<Proposal> proposals_of(const std::vector<std::string>& texts,
                                   const ExploredProblem& problem, const IndexedSpace* space,
                                   const ScheduleSpace& full) {
  std::vector<Proposal> proposals;
  for (const std::string& text : texts) {
    auto schedule = problem.read(text);
    if (!schedule || !full.keeps_pins(*schedule)) continue;
    auto index = index_in(space, *schedule);
    proposals.push_back(Proposal::of(*std::move(schedule), *problem.constructs, std::move(index)));
  }
  return proposals;
}

}  // namespace thallo
