// The problems to begin with, for somebody who has none.
#pragma once

#include <optional>

#include "gui/problem/catalog.h"
#include "gui/problem/problem_data.h"

namespace thallo::gui {

// A problem whose schedule is worth a look, on this machine. Absent if there are no problems.
std::optional<ProblemRequest> exampleOfSchedule(const Catalog& catalog);
// A problem that measurements ship with, on the device that they are of. Absent if none ship.
std::optional<ProblemRequest> exampleOfSpace(const Catalog& catalog);

}  // namespace thallo::gui
