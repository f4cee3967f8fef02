#include "gui/app/hand.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPointer>
#include <QTimer>
#include <QWheelEvent>

// Of QtGui, by which Qt's own test library lets keys be shortcuts: those are found where keys come
// from the window system, and not where an event is sent to a widget.
Q_GUI_EXPORT bool qt_sendShortcutOverrideEvent(QObject* o, ulong timestamp, int k,
                                               Qt::KeyboardModifiers mods, const QString& text,
                                               bool autorep, ushort count);

namespace thallo::gui {
namespace {

void sendMouse(QWidget& widget, QEvent::Type type, const QPoint& at, Qt::MouseButton button,
               Qt::MouseButtons buttons) {
  QMouseEvent event(type, at, widget.mapToGlobal(at), button, buttons, {});
  QCoreApplication::sendEvent(&widget, &event);
}

}  // namespace

std::optional<double> waitFor(const std::function<bool()>& condition) {
  QTimer wake;  // makes the condition be checked even if nothing happens
  wake.start(2);
  QElapsedTimer timer;
  timer.start();
  while (!condition()) {
    if (timer.elapsed() > 120'000) return std::nullopt;
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
  }
  return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

void moveMouse(QWidget& widget, const QPoint& at, Qt::MouseButtons buttons) {
  sendMouse(widget, QEvent::MouseMove, at, Qt::NoButton, buttons);
}

void pressMouse(QWidget& widget, const QPoint& at) {
  sendMouse(widget, QEvent::MouseButtonPress, at, Qt::LeftButton, Qt::LeftButton);
}

void releaseMouse(QWidget& widget, const QPoint& at) {
  sendMouse(widget, QEvent::MouseButtonRelease, at, Qt::LeftButton, Qt::NoButton);
}

void click(QWidget& widget, const QPoint& at) {
  pressMouse(widget, at);
  releaseMouse(widget, at);
}

void click(QWidget& widget) { click(widget, widget.rect().center()); }

void turnWheel(QWidget& widget, int delta) {
  const QPointF middle = widget.rect().center();
  QWheelEvent event(middle, widget.mapToGlobal(middle), {}, {0, delta}, Qt::NoButton,
                    Qt::NoModifier, Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(&widget, &event);
}

void press(QWidget& widget, int key, Qt::KeyboardModifiers modifiers, const QString& text) {
  if (qt_sendShortcutOverrideEvent(&widget, 0, key, modifiers, text, false, 1)) return;
  const QPointer<QWidget> pressed(&widget);
  QKeyEvent down(QEvent::KeyPress, key, modifiers, text);
  QCoreApplication::sendEvent(&widget, &down);
  if (!pressed) return;
  QKeyEvent up(QEvent::KeyRelease, key, modifiers, text);
  QCoreApplication::sendEvent(&widget, &up);
}

void type(QWidget& widget, const QString& words) {
  // A person does each thing in another turn of the event loop.
  QCoreApplication::processEvents();
  widget.setFocus();
  press(widget, Qt::Key_A, Qt::ControlModifier);
  for (const QChar letter : words) press(widget, letter.toUpper().unicode(), {}, letter);
  QCoreApplication::processEvents();
}

}  // namespace thallo::gui
