#include "core/explore/named_proposals.h"

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
  const AutoTarget target{
      .binding = problem.instance.binding,
      .precision = problem.precision,
      .program = problem.program,
      .linear_iterations = static_cast<double>(problem.solver.num_linear_iterations),
      .memory_limit = problem.compile.memory_limit,
      .device = [&spec]() -> Expected<DeviceSpec> { return *spec; }};
  std::vector<NamedProposal> proposals;
  for (const std::string& name : names) {
    auto schedule = choose_schedule(name, problem.file, *problem.constructs, &target);
    if (!schedule || !problem.plan_of(*schedule)) continue;
    proposals.push_back({name, Proposal::of(*std::move(schedule), *problem.constructs)});
  }
  return proposals;
}

}  // namespace thallo
