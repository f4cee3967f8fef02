#include "gui/schedule/view/editors/chip.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {

Chip::Chip(const QString& item, QWidget* parent)
    : QLabel(QStringLiteral("⠿ ") + item, parent), m_item(item) {
  named(this, "chip " + item, item);
  setToolTip(tr("%1\nDrag it to another group, or move it with Alt+← and Alt+→").arg(item));
  setFocusPolicy(Qt::StrongFocus);
  setContentsMargins(8, 4, 8, 4);
  setCursor(Qt::OpenHandCursor);
}

void Chip::setSelected(bool isSelected) {
  m_isSelected = isSelected;
  update();
}

void Chip::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_pressed = event->globalPosition().toPoint();
  Q_EMIT pressed();
}

void Chip::mouseMoveEvent(QMouseEvent* event) {
  if (!event->buttons().testFlag(Qt::LeftButton)) return;
  const QPoint now = event->globalPosition().toPoint();
  if ((now - m_pressed).manhattanLength() >= QApplication::startDragDistance()) m_isDragged = true;
  if (m_isDragged) Q_EMIT dragged(now);
}

void Chip::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !m_isDragged) return;
  m_isDragged = false;
  Q_EMIT dropped(event->globalPosition().toPoint());
}

void Chip::keyPressEvent(QKeyEvent* event) {
  const bool isAlt = event->modifiers().testFlag(Qt::AltModifier);
  if (isAlt && event->key() == Qt::Key_Left) return Q_EMIT moveAsked(-1);
  if (isAlt && event->key() == Qt::Key_Right) return Q_EMIT moveAsked(1);
  QLabel::keyPressEvent(event);
}

void Chip::contextMenuEvent(QContextMenuEvent* event) { Q_EMIT menuAsked(event->globalPos()); }

void Chip::focusInEvent(QFocusEvent* event) {
  QLabel::focusInEvent(event);
  update();
}

void Chip::focusOutEvent(QFocusEvent* event) {
  QLabel::focusOutEvent(event);
  update();
}

void Chip::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool isStrong = m_isSelected || hasFocus();
  setInks(painter, QPen(ink(Ink::Residual), isStrong ? 2 : 1),
          ink(Ink::Residual, isStrong ? 70 : 36));
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 5, 5);
  QLabel::paintEvent(event);
}

}  // namespace thallo::gui
