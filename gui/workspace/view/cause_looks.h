// The colors of what steps wait for, and of the causes of a change of their time: the same on all
// pages.
#pragma once

#include "gui/schedule/schedule_comparison.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {

Ink inkOf(Wait wait);
// A cause has the color of the wait that it comes from.
Ink inkOf(Cause cause);

}  // namespace thallo::gui
