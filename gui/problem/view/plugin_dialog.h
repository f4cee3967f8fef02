// Lists every plugin and problem file that was found, with the reasons why some failed.
#pragma once

#include <QDialog>

namespace thallo::gui {

class Workspace;

QDialog* showPlugins(Workspace& workspace, QWidget* parent);

}  // namespace thallo::gui
