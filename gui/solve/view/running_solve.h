// Asks before leaving a problem stops its running solve.
#pragma once

#include <functional>

#include <QWidget>

#include "gui/solve/solve_model.h"

namespace thallo::gui {

// Calls `proceed` immediately if no solve is running, and otherwise once the user agrees. It is
// never called if they stay. This function does not stop the solve.
void askToStop(SolveModel& solve, QWidget* parent, std::function<void()> proceed);

}  // namespace thallo::gui
