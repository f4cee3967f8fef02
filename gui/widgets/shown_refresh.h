// Refreshes what a widget shows only where somebody sees it. What is asked for while the widget is
// hidden is done once, soon after it is shown.
#pragma once

#include <functional>

#include <QObject>
#include <QTimer>
#include <QWidget>

namespace thallo::gui {

class ShownRefresh final : public QObject {
  Q_OBJECT

 public:
  // `refresh` shows the present state of the models in the widget, which is visible then.
  ShownRefresh(QWidget& widget, std::function<void()> refresh);

  // Refreshes at once if the widget is visible, else once it is shown.
  void ask();
  // Calls `part`, which refreshes a part of what is shown, at once if the widget is visible. If it
  // is hidden, all of it is refreshed once it is shown.
  void askFor(const std::function<void()>& part);
  // Refreshes in the next turn of the event loop: once, however often it was asked for.
  void askSoon();
  // Does at once what askSoon() would do in the next turn.
  void hurry();
  // True if `root` or a widget in it will be refreshed soon.
  static bool isUnderWay(const QWidget& root);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void run();

  QWidget& m_widget;
  std::function<void()> m_refresh;
  QTimer m_soon;  // does not wait, but lets the window answer clicks and paint before
  bool m_isAsked = false;
};

}  // namespace thallo::gui
