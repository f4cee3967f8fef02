// The labels of the app, by what they are for.
#pragma once

#include <QLabel>

namespace thallo::gui {

QLabel* titleLabel(const QString& text = {});
QLabel* wrappedLabel(const QString& text = {});
// Wrapped, and can be selected by the mouse.
QLabel* textLabel(const QString& text = {});
// The same, in the color of faults.
QLabel* faultLabel();
// In the color of what is less important; the note is wrapped.
QLabel* mutedLabel(const QString& text = {});
QLabel* mutedNote(const QString& text = {});

}  // namespace thallo::gui
