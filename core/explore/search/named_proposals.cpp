#include "core/explore/search/named_proposals.h"

#include <iterator>
#include <utility>

#include "core/problem/choose_schedule.h"
#include "core/schedule/named_schedules.h"

namespace thallo {

std::vector<NamedProposal> named_proposals(const ExploredProblem& problem,
                                           const std::optional<DeviceSpec>& spec) {
  std::vector<std::string> names(std::begin(NamedSchedules), std::end(NamedSchedules));
  if (spec) names.emplace_back("auto");
  if (!problem.file.schedule.empty()) names.emplace_back("file");
  const std::optional<AutoTarget> target =
      spec ? std::optional(problem.auto_target(*spec)) : std::nullopt;
  std::vector<NamedProposal> proposals;
  for (const std::string& name : names) {
    auto schedule =
        choose_schedule(name, problem.file, *problem.constructs, target ? &*target : nullptr);
    if (!schedule || !problem.plan_of(*schedule)) continue;
    proposals.push_back({name, Proposal::of(*std::move(schedule), *problem.constructs)});
  }
  return proposals;
}

void place_in(const IndexedSpace* space, const ScheduleSpace& full,
              std::vector<NamedProposal>& named) {
  for (NamedProposal& its : named) {
    its.proposal.index = index_in(space, its.proposal.schedule);
    its.keeps_pins = full.keeps_pins(its.proposal.schedule);
  }
}

}  // namespace thallo
