#include "core/explore/search/search_input.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace thallo {

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
  space.make_pricer = [&problem, &device = subject.device, maps] {
    const Binding& binding = problem.instance.binding;
    if (!*maps) *maps = map_statistics(problem.file.energy, binding);
    return std::make_unique<PlanPricer>(problem.file.energy, binding, **maps,
                                        problem.price_options(*problem.model), device);
  };
  space.fits = [&fitting = subject.fitting](const Proposal& proposal) {
    return fitting.fits(proposal);
  };
  if (request.space != nullptr) {
    space.first = request.first.value_or(0);
    space.end = request.end.value_or(request.space->size());
  }
  for (const NamedProposal& its : named) space.start.push_back(its.proposal);
  return space;
}

std::vector<Proposal> proposals_of(const std::vector<std::string>& texts,
                                   const ExploredProblem& problem, const IndexedSpace* space) {
  std::vector<Proposal> proposals;
  for (const std::string& text : texts) {
    auto schedule = problem.read(text);
    if (!schedule) continue;
    auto index = index_in(space, *schedule);
    proposals.push_back(Proposal::of(*std::move(schedule), *problem.constructs, std::move(index)));
  }
  return proposals;
}

}  // namespace thallo
