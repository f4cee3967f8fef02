// Shows the log, with warnings and errors in their colors.
#pragma once

#include <QDialog>

namespace thallo::gui {

class LogModel;

QDialog* showLog(LogModel& log, QWidget* parent);

}  // namespace thallo::gui
