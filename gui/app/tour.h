// A tour of five hints for somebody who is new: each is a bubble at the widget that it is about,
// with an outline around that. → or Enter shows the next, ← the one before, Esc ends the tour.
#pragma once

#include <optional>

#include <QFrame>
#include <QLabel>
#include <QPointer>
#include <QPushButton>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

class MainWindow;

class Tour final : public QFrame {
 public:
  // An overlay of the window, hidden until the tour starts.
  Tour(Workspace& workspace, MainWindow& window);

  // Shows a hint, counted from 0, and the page that its widget is on.
  void start(int hint = 0);
  // Does that once a problem is open.
  void startWhenOpen(int hint = 0);
  // Starts for somebody who has not seen it yet, which the settings remember.
  void startOnce();

  static int count();
  // The hint that is shown; -1 if none is.
  int current() const { return isVisible() ? m_current : -1; }
  // The widget that the hint is about; null if the page does not show it now.
  QWidget* target() const { return m_target; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void startWanted();
  void step(int by);
  void end();
  void place();

  Workspace& m_workspace;
  MainWindow& m_window;
  int m_current = 0;
  std::optional<int> m_wanted;           // once a problem is open
  QPointer<QWidget> m_target, m_before;  // m_before had the keys
  QWidget* m_outline;
  QLabel *m_title, *m_text, *m_count;
  QPushButton *m_back, *m_next, *m_end;
  QPoint m_tip;  // where the bubble points at, in its own coordinates
};

}  // namespace thallo::gui
