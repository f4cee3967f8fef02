// The looks of a program's steps, the same on all pages.
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>

#include "gui/widgets/theme.h"

class QPainter;

namespace thallo::gui {

// Returns the color of the thing that a step computes, judged by its label; "apply_jtjp [fit]" has
// the color of products.
Ink inkOfStep(const QString& label);

// Fills the bar of a time: solid if it was measured, light with strokes if it is estimated.
void fillTime(QPainter& painter, const QRectF& area, const QColor& color, bool isMeasured);

// Returns "fit · apply_jtjp" for "apply_jtjp [fit]": the part comes first, because it distinguishes
// steps of a kind.
QString briefLabel(const QString& label);

}  // namespace thallo::gui
