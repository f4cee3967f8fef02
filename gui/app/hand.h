// What a person does in the window, as events of the mouse and the keyboard, and waiting for what
// comes of it.
#pragma once

#include <functional>
#include <optional>

#include <QPoint>
#include <QString>
#include <QWidget>

namespace thallo::gui {

// Handles events until the condition holds. Returns the milliseconds that this took; absent if it
// does not hold within two minutes.
std::optional<double> waitFor(const std::function<bool()>& condition);

void moveMouse(QWidget& widget, const QPoint& at, Qt::MouseButtons buttons);
void pressMouse(QWidget& widget, const QPoint& at);
void releaseMouse(QWidget& widget, const QPoint& at);
// Presses and releases the left button, at a place or in the middle.
void click(QWidget& widget, const QPoint& at);
void click(QWidget& widget);
// Turns the wheel in the middle.
void turnWheel(QWidget& widget, int delta);

// Presses and releases a key. Shortcuts of the widget's window come before the widget.
void press(QWidget& widget, int key, Qt::KeyboardModifiers modifiers = {},
           const QString& text = {});
// Puts the words in the place of what a line or spin box has.
void type(QWidget& widget, const QString& words);

}  // namespace thallo::gui
