// Reads, edits and prices schedules of the open problem.
#pragma once

#include <vector>

#include "core/explore/space/choice_sites.h"
#include "gui/problem/open_problem.h"
#include "gui/schedule/schedule_data.h"

namespace thallo::gui {

// Reads a schedule text and returns the schedule in normal form, with its times. Faults name
// `file`.
Expected<ScheduleSnapshot> readSchedule(OpenProblem& problem, const QString& text,
                                        const QString& file = "the schedule");
// Returns the schedule with some of its decisions changed, by one edit after the other.
Expected<ScheduleSnapshot> editSchedule(OpenProblem& problem, const Schedule& schedule,
                                        const std::vector<ScheduleEdit>& edits);
// Returns what the edits would lead to. An illegal edit is not a failure.
Trial tryOut(OpenProblem& problem, const Schedule& schedule,
             const std::vector<ScheduleEdit>& edits);
// Returns the places where a schedule decides, with their choices. Those that need more than
// `limit` are illegal.
Expected<std::vector<ChoiceSite>> choiceSites(const OpenProblem& problem, const Schedule& schedule,
                                              const StorageLimit* limit = nullptr);

}  // namespace thallo::gui
