#include "gui/graph/view/graph_minimap.h"

#include <algorithm>

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>

#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr QSizeF Largest(208, 144);
constexpr int Distance = 12;  // to the edges of the view

}  // namespace

GraphMinimap::GraphMinimap(QGraphicsView& view) : QWidget(&view), m_view(view) {
  named(this, "graphMinimap", tr("Overview of the graph"));
  setToolTip(tr("All of the graph: a click or a drag moves to a place; 0 shows all"));
  setCursor(Qt::PointingHandCursor);
  hide();
  for (QScrollBar* bar : {view.horizontalScrollBar(), view.verticalScrollBar()}) {
    connect(bar, &QScrollBar::valueChanged, &m_soon, qOverload<>(&QTimer::start));
    connect(bar, &QScrollBar::rangeChanged, &m_soon, qOverload<>(&QTimer::start));
  }
  view.viewport()->installEventFilter(this);
  m_soon.setSingleShot(true);
  m_soon.setInterval(0);
  connect(&m_soon, &QTimer::timeout, this, &GraphMinimap::refresh);
}

bool GraphMinimap::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) m_soon.start();
  return QWidget::eventFilter(watched, event);
}

void GraphMinimap::redraw() {
  m_picture = {};
  m_soon.start();
}

QRectF GraphMinimap::shownByView() const {
  return m_view.mapToScene(m_view.viewport()->rect()).boundingRect();
}

double GraphMinimap::scale() const {
  const QRectF all = m_view.sceneRect();
  return std::min(Largest.width() / all.width(), Largest.height() / all.height());
}

void GraphMinimap::refresh() {
  const QRectF all = m_view.sceneRect();
  // A view that shows everything may miss a pixel at its edges.
  const double pixel = 2 / m_view.transform().m11();
  const bool showsAll = shownByView().contains(all.adjusted(pixel, pixel, -pixel, -pixel));
  setVisible(!all.isEmpty() && !showsAll);
  if (isHidden()) return;
  const QSize size = (all.size() * scale()).toSize().expandedTo({16, 16});
  if (size != this->size()) m_picture = {};
  const QRect area = m_view.viewport()->geometry();
  setGeometry(
      QRect(area.bottomRight() - QPoint(size.width() + Distance, size.height() + Distance), size));
  update();
}

void GraphMinimap::paintEvent(QPaintEvent* /*event*/) {
  const QRectF all = m_view.sceneRect();
  if (m_picture.isNull()) {
    m_picture = QPixmap(size() * devicePixelRatio());
    m_picture.setDevicePixelRatio(devicePixelRatio());
    m_picture.fill(ink(Ink::Surface));
    QPainter painter(&m_picture);
    painter.setRenderHint(QPainter::Antialiasing);
    m_view.scene()->render(&painter, rect(), all);
  }
  QPainter painter(this);
  painter.drawPixmap(0, 0, m_picture);
  const QRectF frame(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
  const QRectF shown = shownByView().translated(-all.topLeft());
  const QRectF inside =
      QRectF(shown.topLeft() * scale(), shown.size() * scale()).intersected(frame);
  QPainterPath outside;
  outside.addRect(frame);
  outside.addRect(inside);
  const QColor shade = ink(Ink::Muted, 56);
  painter.fillPath(outside, shade);
  painter.setPen(ink(Ink::Frame));
  painter.drawRect(frame);
  painter.setPen(QPen(ink(Ink::Accent), 1.5));
  painter.drawRect(inside);
}

void GraphMinimap::moveViewTo(QPointF position) {
  m_view.centerOn(m_view.sceneRect().topLeft() + position / scale());
}

void GraphMinimap::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) moveViewTo(event->position());
}

void GraphMinimap::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons().testFlag(Qt::LeftButton)) moveViewTo(event->position());
}

// Keeps the release from the view below, which would select what is there.
void GraphMinimap::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

}  // namespace thallo::gui
