// Shows what the schedules would take if the data were larger or smaller, or the linear solves
// longer or shorter: a line each over the quantity, which a slider varies, and their times on other
// devices.
#pragma once

#include <QWidget>

namespace thallo::gui {

class Workspace;

QWidget* makeWhatIfView(Workspace& workspace);

}  // namespace thallo::gui
