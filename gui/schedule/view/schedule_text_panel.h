// The text of the schedule with messages about it: its faults, and what the last change had to
// drop. The undo and redo buttons are above it.
#pragma once

#include <QLabel>
#include <QWidget>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

class ScheduleTextPanel final : public QWidget {
  Q_OBJECT

 public:
  explicit ScheduleTextPanel(Workspace& workspace, QWidget* parent = nullptr);

 private:
  QWidget* makeHeader();
  void refresh();

  Workspace& m_workspace;
  QLabel *m_name, *m_faults, *m_dropped;
  QWidget* m_droppedRow;
};

}  // namespace thallo::gui
