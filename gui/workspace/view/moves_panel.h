// The next best moves from the current schedule, as a list that is worked through by the keyboard:
// ↑ and ↓ go from move to move, Enter takes one, and the first of those from there has the keys
// then. The pointer, or the keys, on a move try it out. The rows stay while the list is computed
// anew.
#pragma once

#include <QWidget>

#include "gui/schedule/guide_model.h"

namespace thallo::gui {

QWidget* makeMovesPanel(GuideModel& guide);

}  // namespace thallo::gui
