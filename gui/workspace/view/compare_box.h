// Selects the schedule that the current one is compared with. All pages have this box, with the
// same choice.
#pragma once

#include <QComboBox>
#include <QWidget>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

class CompareBox final : public QWidget {
  Q_OBJECT

 public:
  explicit CompareBox(Workspace& workspace);

 Q_SIGNALS:
  // Emitted when the user has chosen a schedule, or nothing.
  void chosen(bool isSomething);

 private:
  void refresh();

  Workspace& m_workspace;
  QComboBox* m_box;
};

}  // namespace thallo::gui
