// What stands above a diagram of the space page.
#pragma once

#include <QLabel>
#include <QList>
#include <QToolButton>
#include <QWidget>

namespace thallo::gui {

class Plot;

// Makes a row with the title, the note and the tools, and the diagram below it. Without a note, the
// tools stand at the right.
QWidget* makeFrame(QWidget* title, QLabel* note, const QList<QWidget*>& tools, QWidget* body);
QToolButton* makeSaveButton(Plot& plot);

}  // namespace thallo::gui
