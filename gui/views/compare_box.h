// Which schedule the current one is compared with: the same box, and the same choice, on all pages.
#pragma once

#include <QComboBox>
#include <QWidget>

#include "gui/models/workspace.h"

namespace thallo::gui {

class CompareBox final : public QWidget {
  Q_OBJECT

 public:
  explicit CompareBox(Workspace& workspace, QWidget* parent = nullptr);

 Q_SIGNALS:
  // The user has chosen: something, or nothing.
  void chosen(bool isSomething);

 private:
  void refresh();

  Workspace& m_workspace;
  QComboBox* m_box;
};

}  // namespace thallo::gui
