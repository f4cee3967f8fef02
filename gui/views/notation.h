// Draws the label of a choice that is a product in bracket notation, "[Jt][[J]p]", as a formula:
// each bracket is a slab, since what stands in brackets is stored, with its size below: R are the
// residuals of the part, U the unknowns.
#pragma once

#include <QFont>
#include <QPainter>
#include <QString>

namespace thallo::gui {

// Is the label such a product, of J, Jt (the transpose), p and brackets?
bool isNotation(const QString& label);
// Of the formula in that font, with the line of sizes.
QSizeF notationSize(const QString& label, const QFont& font);
// In the middle of the area; an illegal one is gray.
void paintNotation(QPainter& painter, const QRectF& area, const QString& label, const QFont& font,
                   bool isLegal);

}  // namespace thallo::gui
