// Lists the sites of a schedule with their choices, and the times of all of these.
#pragma once

#include <stop_token>

#include "gui/problem/open_problem.h"
#include "gui/schedule/schedule_data.h"

namespace thallo::gui {

// Returns every site with its choices, but without times, which weighSites() adds. If asked to
// stop, it returns soon, and what the table says about memory is not usable.
Expected<SiteTable> listSites(const OpenProblem& problem, const Schedule& schedule,
                              const std::stop_token& stop = {});
// Adds the predicted time of every legal choice to the table, and moves that are no single choice.
// If asked to stop, the table is incomplete.
Expected<SiteTable> weighSites(OpenProblem& problem, const Schedule& schedule, SiteTable table,
                               const std::stop_token& stop);

}  // namespace thallo::gui
