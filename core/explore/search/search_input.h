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

// Returns the input without what only the caller can say: measured times, and when to end. A named
// schedule that does not keep the pins is replaced by the one that is nearest to it and does.
SearchSpace search_input(const SearchSubject& subject, const std::vector<NamedProposal>& named);

// Returns what is measured before the search: the named schedules, and those that it begins with.
std::vector<Proposal> first_proposals(const std::vector<NamedProposal>& named,
                                      const SearchSpace& space);

// Returns the next proposals of a search; none if its thread was told to stop while it looked for
// them (core/base/stop_scope.h) and the exploration is over, so that what it found before is kept.
std::vector<Proposal> next_proposals(SearchRun& search_run, const std::function<bool()>& is_over);

// Returns the schedules of these texts, without those that use constructs that are not loaded here,
// and without those that do not keep the pins of `full`.
std::vector<Proposal> proposals_of(const std::vector<std::string>& texts,
                                   const ExploredProblem& problem, const IndexedSpace* space,
                                   const ScheduleSpace& full);

// Fails if no schedule that fits into memory keeps the pins, with the reason.
Expected<void> check_pins(const ScheduleSpace& full);

}  // namespace thallo
