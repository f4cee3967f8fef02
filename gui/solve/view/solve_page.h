// Runs the current schedule and shows how the cost falls, the results, and a comparison of runs.
#pragma once

#include "gui/workspace/view/page.h"

namespace thallo::gui {

Page* makeSolvePage(Workspace& workspace);

}  // namespace thallo::gui
