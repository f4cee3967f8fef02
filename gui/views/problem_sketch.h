// What stands in for the picture of a problem that has none: a calm drawing of unknowns and the
// residuals between them, always the same for a name and another one for each name.
#pragma once

#include <QPixmap>
#include <QString>

namespace thallo::gui {

// In the colors of the current theme. `size` is in pixels of a screen whose scale is 1.
QPixmap problemSketch(const QString& name, const QSize& size, double scale);

}  // namespace thallo::gui
