// Shows the kernels of the current schedule: their table, the text of the selected one, and the
// roofline of the device with all of them. The selection is shared with all pages.
#pragma once

#include "gui/workspace/view/page.h"

namespace thallo::gui {

Page* makeKernelsPage(Workspace& workspace);

}  // namespace thallo::gui
