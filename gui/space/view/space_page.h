// Shows the measured schedules of a problem: the distribution of their times, how well they agree
// with predictions or other measurements, what each choice gains, and a table of all. Selecting in
// one of the views filters all of them.
#pragma once

#include "gui/workspace/view/page.h"

namespace thallo::gui {

Page* makeSpacePage(Workspace& workspace);

}  // namespace thallo::gui
