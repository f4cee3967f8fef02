// What each switch of a search buys: which switches are turned on and off, and a table of the runs.
#pragma once

#include <QDialog>

namespace thallo::gui {

class Workspace;

QDialog* showAblation(Workspace& workspace, QWidget* parent);

}  // namespace thallo::gui
