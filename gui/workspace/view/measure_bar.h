// Says in the status bar how the measurement of the current schedule goes, how it ended, or why it
// cannot be done. Hidden while there is nothing to say.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

class MeasureBar final : public QWidget {
  Q_OBJECT

 public:
  explicit MeasureBar(Workspace& workspace, QWidget* parent = nullptr);

  // Measures the current schedule, or cancels that, or shows why it cannot be measured.
  void measure();

 private:
  void refresh();
  void leaveRefusal();
  void press();
  void say(const QString& text, const QString& button = {});

  Workspace& m_workspace;
  QLabel* m_text;
  QPushButton* m_button;
  QString m_refused;  // hash of the schedule that cannot be measured; empty if it was not asked for
};

}  // namespace thallo::gui
