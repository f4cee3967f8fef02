// Dragging with the mouse, and its wheel. QTest::mouseMove() goes by the cursor, which is not
// everywhere there is.
#pragma once

#include <QPoint>
#include <QWidget>

namespace thallo::test {

// Moves the mouse with the left button down.
void move_to(QWidget* widget, const QPoint& at);
// Turns the wheel in the middle.
void turn_wheel(QWidget* widget, int delta);
// The middle of the other widget, as a position in the first.
QPoint middle_of(const QWidget* other, const QWidget* widget);
// Both are positions in the widget.
void drag(QWidget* widget, const QPoint& from, const QPoint& to);

}  // namespace thallo::test
