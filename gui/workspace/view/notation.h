// Draws the label of a choice in bracket notation, "[Jt][[J]p]", as a formula. Each bracket is
// drawn as a slab, since its contents are stored, with its size below: R residuals of the part, U
// unknowns.
#pragma once

#include <QFont>
#include <QPainter>
#include <QString>

namespace thallo::gui {

// True if the label is a product of J, Jt (the transpose), p and brackets.
bool isNotation(const QString& label);
// Returns the size of the formula in that font, including the line of sizes.
QSizeF notationSize(const QString& label, const QFont& font);
// Paints the formula in the middle of the area; gray if it is illegal.
void paintNotation(QPainter& painter, const QRectF& area, const QString& label, const QFont& font,
                   bool isLegal);

}  // namespace thallo::gui
