// Ctrl+K: type some letters of a name, and go to the node, site, step, problem or schedule.
#pragma once

#include <QWidget>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

// Makes an overlay of `parent`, hidden until the keys are pressed there.
QWidget* makeSearchBox(Workspace& workspace, QWidget& parent);

}  // namespace thallo::gui
