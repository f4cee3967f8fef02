#include "gui/solve/view/image_compare.h"

#include <algorithm>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "gui/base/picture_file.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {

ImageCompare::ImageCompare() {
  named(this, "imageCompare", tr("Pictures of the run, before and after"));
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(160, 120);
}

void ImageCompare::setImages(const QString& first, const QString& firstName, const QString& second,
                             const QString& secondName) {
  m_first = pictureOf(first);
  m_second = pictureOf(second);
  m_firstName = firstName;
  m_secondName = secondName;
  setCursor(m_second.isNull() ? Qt::ArrowCursor : Qt::SplitHCursor);
  update();
}

void ImageCompare::setMessage(const QString& message) {
  m_message = message;
  update();
}

void ImageCompare::setPosition(double position) {
  m_position = std::clamp(position, 0.0, 1.0);
  update();
}

QRectF ImageCompare::imageArea() const {
  if (m_first.isNull()) return {};
  const QSizeF size = QSizeF(m_first.size()).scaled(QWidget::size(), Qt::KeepAspectRatio);
  return {QPointF((width() - size.width()) / 2, (height() - size.height()) / 2), size};
}

void ImageCompare::paintName(QPainter& painter, const QRectF& area, const QString& name,
                             bool isLeft) const {
  if (name.isEmpty()) return;
  const double room = m_second.isNull() ? area.width() : area.width() / 2;
  const QString text = fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(room) - 24);
  const QSizeF size(fontMetrics().horizontalAdvance(text) + 12, fontMetrics().height() + 6);
  const double x = isLeft ? area.left() + 6 : area.right() - 6 - size.width();
  const QRectF label(QPointF(x, area.bottom() - 6 - size.height()), size);
  setInks(painter, Qt::NoPen, ink(Ink::Surface, 215));
  painter.drawRoundedRect(label, 4, 4);
  painter.setPen(ink(Ink::Text));
  painter.drawText(label, Qt::AlignCenter, text);
}

void ImageCompare::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  const QRectF area = imageArea();
  if (area.isEmpty()) {
    painter.setPen(ink(Ink::Muted));
    painter.drawText(rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                     m_message);
    return;
  }
  painter.drawPixmap(area, m_first, QRectF(m_first.rect()));
  paintName(painter, area, m_firstName, true);
  if (m_second.isNull()) return;
  const double line = area.left() + m_position * area.width();
  painter.save();
  painter.setClipRect(QRectF(QPointF(line, area.top()), area.bottomRight()));
  painter.drawPixmap(area, m_second, QRectF(m_second.rect()));
  painter.restore();
  paintName(painter, area, m_secondName, false);
  painter.setPen(QPen(ink(Ink::Accent), 2));
  painter.drawLine(QPointF(line, area.top()), QPointF(line, area.bottom()));
  painter.setBrush(ink(Ink::Accent));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.drawEllipse(QPointF(line, area.center().y()), 6, 6);
}

void ImageCompare::mousePressEvent(QMouseEvent* event) { mouseMoveEvent(event); }

void ImageCompare::mouseMoveEvent(QMouseEvent* event) {
  const QRectF area = imageArea();
  if (event->buttons().testFlag(Qt::LeftButton) && area.width() > 0)
    setPosition((event->position().x() - area.left()) / area.width());
}

void ImageCompare::keyPressEvent(QKeyEvent* event) {
  constexpr double Step = 0.05;
  if (event->key() == Qt::Key_Left)
    setPosition(m_position - Step);
  else if (event->key() == Qt::Key_Right)
    setPosition(m_position + Step);
  else
    QWidget::keyPressEvent(event);
}

}  // namespace thallo::gui
