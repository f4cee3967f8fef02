// Shows the log, with warnings and errors in their colors.
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QTableView>

#include "gui/workspace/log_model.h"

namespace thallo::gui {

class LogDialog final : public QDialog {
  Q_OBJECT

 public:
  // Opens a non-modal dialog; the window remains usable.
  static LogDialog* show(LogModel& log, QWidget* parent);

 private:
  LogDialog(LogModel& log, QWidget* parent);

  LogModel& m_log;
  LogFilter* m_filter;
  QComboBox* m_level;
  QTableView* m_table;
};

}  // namespace thallo::gui
