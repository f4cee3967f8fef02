// The schedule page. The left side shows all decisions as a tree, with the editor of the selected
// one, or the differences from another schedule. The right side shows the text. Tree and text edit
// the same schedule, and a line and its site highlight each other.
#pragma once

#include "gui/workspace/view/page.h"

namespace thallo::gui {

Page* makeSchedulePage(Workspace& workspace);

}  // namespace thallo::gui
