// How steps of a program look, the same on all pages.
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>

#include "gui/views/theme.h"

class QPainter;

namespace thallo::gui {

// The color of what a step works for, by its label: "apply_jtjp [fit]" for products.
Ink inkOfStep(const QString& label);

// Fills a bar of a time: solid when it was measured, light with strokes when it is estimated.
void fillTime(QPainter& painter, const QRectF& area, const QColor& color, bool isMeasured);

// "fit · apply_jtjp" of "apply_jtjp [fit]": the part first, which tells steps of a kind apart.
QString briefLabel(const QString& label);

}  // namespace thallo::gui
