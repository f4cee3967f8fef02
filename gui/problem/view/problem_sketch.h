// Draws a substitute for the picture of a problem that has none: unknowns and residuals between
// them. A name always gives the same drawing, and different names give different ones.
#pragma once

#include <QPixmap>
#include <QString>

namespace thallo::gui {

// Uses the colors of the current theme. `size` is in pixels of a screen with scale 1.
QPixmap problemSketch(const QString& name, const QSize& size, double scale);

}  // namespace thallo::gui
