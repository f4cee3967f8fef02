#include "tests/gui/mouse.h"

#include <QApplication>
#include <QMouseEvent>
#include <QTest>
#include <QWheelEvent>

namespace thallo::test {

void move_to(QWidget* widget, const QPoint& at) {
  QMouseEvent move(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                   {});
  QApplication::sendEvent(widget, &move);
}

void turn_wheel(QWidget* widget, int delta) {
  const QPointF middle = widget->rect().center();
  QWheelEvent event(middle, widget->mapToGlobal(middle), {}, {0, delta}, Qt::NoButton,
                    Qt::NoModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(widget, &event);
}

QPoint middle_of(const QWidget* other, const QWidget* widget) {
  return widget->mapFromGlobal(other->mapToGlobal(other->rect().center()));
}

void drag(QWidget* widget, const QPoint& from, const QPoint& to) {
  QTest::mousePress(widget, Qt::LeftButton, {}, from);
  move_to(widget, (from + to) / 2);
  move_to(widget, to);
  QTest::mouseRelease(widget, Qt::LeftButton, {}, to);
}

}  // namespace thallo::test
