#pragma once

// Makes the input of a search from what explorations know, whether schedules are measured or only
// predicted.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/cost/learned/training_set.h"
#include "core/explore/search/exploration_request.h"
#include "core/explore/search/fitting_schedules.h"
#include "core/explore/search/named_proposals.h"

namespace thallo {

// What an exploration is about. All of it must outlive the input.
struct SearchSubject {
  const ExplorationRequest& request;  // with all options of the search
  const ExploredProblem& problem;
  const ScheduleSpace& full;
  const DeviceSpec& device;  // that predictions are made for
  FittingSchedules& fitting;
  // Returns the measured steps of schedules, given their hashes. Null if steps are not measured.
  std::function<Expected<TrainingSet>(std::span<const std::string> hashes)> measured_steps = {};
};

// Returns the input without what only the caller can say: measured times, and when to end.
SearchSpace search_input(const SearchSubject& subject, const std::vector<NamedProposal>& named);

// Returns the schedules of these texts, without those that use constructs that are not loaded here.
std::vector<Proposal> proposals_of(const std::vector<std::string>& texts,
                                   const ExploredProblem& problem, const IndexedSpace* space);

}  // namespace thallo
