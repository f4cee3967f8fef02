// Asks before something that runs is stopped because its problem or its store is left.
#pragma once

#include <functional>

#include <QWidget>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

// Both call `proceed` once the user has agreed to every question, at once if nothing runs, and
// never if they stay. They stop nothing themselves.
//
// Asks about a solve, an exploration and a measurement.
void askToStop(Workspace& workspace, QWidget* parent, std::function<void()> proceed);
// Asks about what writes to the store.
void askToStopMeasuring(SpaceModel& space, QWidget* parent, std::function<void()> proceed);

}  // namespace thallo::gui
