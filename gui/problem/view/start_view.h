// Where to begin while no problem is chosen: three ways into the app as large buttons, and the
// problems that were opened last.
#pragma once

#include <functional>

#include <QWidget>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

struct StartActions {
  // Shows a page, because a problem opens that it shows.
  std::function<void(const QString& page)> showPage;
  std::function<void()> openFile, beginEnergy;
};

QWidget* makeStartView(Workspace& workspace, StartActions actions);

}  // namespace thallo::gui
