// Says in the status bar how the measurement of the current schedule goes, how it ended, or why it
// cannot be done. Hidden while there is nothing to say. Its actions are to measure, or to end that,
// and only to end it.
#pragma once

#include <QWidget>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

QWidget* makeMeasureBar(Workspace& workspace);

}  // namespace thallo::gui
