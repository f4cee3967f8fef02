#include "gui/widgets/step_looks.h"

#include <QPainter>

namespace thallo::gui {

Ink inkOfStep(const QString& label) {
  if (label.startsWith("store_") || label.startsWith("linearize")) return Ink::Intermediate;
  if (label.startsWith("cost [")) return Ink::Residual;
  if (label.contains('[') || label.startsWith("spmv")) return Ink::Product;
  return Ink::Field;
}

void fillTime(QPainter& painter, const QRectF& area, const QColor& color, bool isMeasured) {
  if (isMeasured) {
    painter.fillRect(area, color);
    return;
  }
  QColor light = color;
  light.setAlpha(40);
  painter.fillRect(area, light);
  light.setAlpha(130);
  painter.fillRect(area, QBrush(light, Qt::BDiagPattern));
}

QString briefLabel(const QString& label) {
  const qsizetype part = label.indexOf(" [");
  return part < 0 ? label
                  : label.mid(part + 2).chopped(1) + QStringLiteral(" · ") + label.left(part);
}

}  // namespace thallo::gui
