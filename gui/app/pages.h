// Makes the pages of the window, in the order of their tabs.
#pragma once

#include <vector>

#include "gui/workspace/view/page.h"

namespace thallo::gui {

std::vector<Page*> makePages(Workspace& workspace);

}  // namespace thallo::gui
