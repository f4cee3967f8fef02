// Energy, graph and kernel side by side. What is selected in one of them is lit in all of them, in
// the schedule and in the time strip: a line of the energy with the nodes and the lines of kernels
// that come from it.
#pragma once

#include "gui/workspace/view/page.h"

namespace thallo::gui {

Page* makeLinkedPage(Workspace& workspace);

}  // namespace thallo::gui
