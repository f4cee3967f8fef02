#include "gui/graph/view/graph_items.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QFontMetricsF>
#include <QGraphicsSimpleTextItem>
#include <QGuiApplication>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

#include "gui/base/text.h"
#include "gui/graph/graph_fit.h"
#include "gui/graph/graph_layout.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr double Corner = 6;
constexpr double PlusWidth = 14;  // of the sign on nodes that can be expanded
constexpr double BadgeHeight = 16;
constexpr double DimmedOpacity = 0.35;
// At a smaller scale text cannot be read, so nodes are drawn as plain rectangles.
constexpr double LeastTextScale = 0.3;

QColor colorOf(DagKind kind) {
  switch (kind) {
    case DagKind::Unknown: return ink(Ink::Unknown);
    case DagKind::Intermediate: return ink(Ink::Intermediate);
    case DagKind::Sum: return ink(Ink::Sum);
    case DagKind::Part:
    case DagKind::Residual: return ink(Ink::Residual);
    case DagKind::Product: return ink(Ink::Product);
    case DagKind::Array:
    case DagKind::Param:
    case DagKind::Expression:
    case DagKind::Rest: return ink(Ink::Field);
  }
  return ink(Ink::Field);
}

QColor withAlpha(QColor color, int alpha) {
  color.setAlpha(alpha);
  return color;
}

QPainterPath pathOf(const std::vector<QPointF>& spline) {
  QPainterPath path(spline.front());
  for (std::size_t i = 1; i + 2 < spline.size(); i += 3)
    path.cubicTo(spline[i], spline[i + 1], spline[i + 2]);
  return path;
}

// Returns the width of an edge: 1 pixel up to a kilobyte, and 1 more for every tenfold.
double edgeWidth(double bytes) {
  constexpr double Thinnest = 1, Widest = 8, ThinBytes = 1e3;
  return bytes <= ThinBytes ? Thinnest : std::min(Widest, Thinnest + std::log10(bytes / ThinBytes));
}

QString edgeTip(const GraphSnapshot& graph, const GraphEdge& edge) {
  const QString &reader = graph.nodes[edge.to].name, &read = graph.nodes[edge.from].name;
  QString tip = edge.label.isEmpty()
                    ? QObject::tr("%1 reads %2").arg(reader, read)
                    : QObject::tr("%1 reads %2 at %3").arg(reader, read, edge.label);
  if (edge.bytes == 0)
    return tip + '\n' + QObject::tr("No memory is read: %1 is computed there again.").arg(read);
  tip += '\n' + QObject::tr("%1 a nonlinear iteration").arg(bytesText(edge.bytes));
  if (edge.numReads > 1)
    tip += QObject::tr(", %1 in each of %2 linear ones")
               .arg(bytesText(edge.bytes / edge.numReads))
               .arg(edge.numReads, 0, 'f', 0);
  return tip + '\n' +
         QObject::tr(
             "A line is wider by a pixel for ten times as many bytes: "
             "1 up to 1 kB, 4 for 1 MB, 7 for 1 GB.");
}

}  // namespace

NodeItem::NodeItem(GraphNode node)
    : m_node(std::move(node)), m_slabs(slabAreas(m_node, m_node.box.size())) {
  setPos(m_node.box.topLeft());
  setAcceptHoverEvents(true);
  setZValue(2);
  setData(0, m_node.id);
}

void NodeItem::setLook(NodeLook look) {
  if (look == m_look) return;
  prepareGeometryChange();
  m_look = std::move(look);
  setOpacity(m_look.isDimmed ? DimmedOpacity : 1);
  update();
}

QRectF NodeItem::boundingRect() const {
  return QRectF(QPointF(), m_node.box.size()).adjusted(-4, -BadgeHeight, 4, 8);
}

std::optional<std::size_t> NodeItem::slabAt(const QPointF& position) const {
  for (std::size_t i = 0; i < m_slabs.size(); ++i)
    if (m_slabs[i].adjusted(-2, -2, 2, 4).contains(position)) return i;
  return std::nullopt;
}

// Returns the area above the slabs.
QRectF NodeItem::textArea() const {
  const double bottom = m_slabs.empty() ? m_node.box.height() : m_slabs.front().top() + 2;
  return {0, 0, m_node.box.width(), bottom};
}

void NodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/,
                     QWidget* /*widget*/) {
  painter->setFont(QGuiApplication::font());
  const double scale =
      QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
  paintBody(*painter, scale < LeastTextScale);
  if (scale < LeastTextScale) return;
  paintText(*painter);
  paintSlabs(*painter);
  if (!m_look.badge.isEmpty()) paintBadge(*painter);
}

void NodeItem::paintBadge(QPainter& painter) const {
  const QColor color = ink(m_look.isPreview ? Ink::Accent : m_look.isGain ? Ink::Good : Ink::Muted);
  const double width = painter.fontMetrics().horizontalAdvance(m_look.badge) + 10;
  const QRectF badge(m_node.box.width() - width, -BadgeHeight + 2, width, BadgeHeight);
  setInks(painter, Qt::NoPen, ink(Ink::Surface));
  painter.drawRoundedRect(badge, 4, 4);
  painter.setPen(color);
  painter.drawText(badge, Qt::AlignCenter, m_look.badge);
}

void NodeItem::paintBody(QPainter& painter, bool isTiny) const {
  const QColor color = colorOf(m_node.kind);
  const QRectF box(QPointF(), m_node.box.size());
  // Fields are in memory and no schedule decides about them: they have a light fill. What is stored
  // by choice is filled.
  const bool isField = m_node.kind == DagKind::Unknown || m_node.kind == DagKind::Array ||
                       m_node.kind == DagKind::Param;
  const auto draw = [&painter, isTiny](const QRectF& rect, double corner) {
    if (isTiny)
      painter.drawRect(rect);
    else
      painter.drawRoundedRect(rect, corner, corner);
  };
  painter.setRenderHint(QPainter::Antialiasing, !isTiny);
  painter.setPen(Qt::NoPen);
  if (m_look.isLinked) {
    painter.setBrush(withAlpha(ink(Ink::Accent), 90));
    draw(box.adjusted(-4, -4, 4, 4), Corner + 3);
  }
  painter.setBrush(ink(Ink::Raised));
  draw(box, Corner);
  if (isField)
    painter.setBrush(withAlpha(color, 60));
  else
    painter.setBrush(m_node.isStored() ? color : withAlpha(color, 14));
  QPen pen(color, 1.5);
  if (m_node.isFar && !isField && !m_node.isStored() && !isTiny) pen.setDashPattern({4, 2});
  painter.setPen(pen);
  draw(box, m_node.kind == DagKind::Expression ? box.height() / 2 : Corner);
  if (m_look.isSelected) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(ink(Ink::Accent), 2.5));
    draw(box.adjusted(-3, -3, 3, 3), Corner + 2);
  }
}

void NodeItem::paintText(QPainter& painter) const {
  const bool isFilled = m_node.isStored() && m_node.kind != DagKind::Unknown &&
                        m_node.kind != DagKind::Array && m_node.kind != DagKind::Param;
  const QColor text = isFilled
                          ? (currentTheme() == Theme::Light ? QColor(Qt::white) : ink(Ink::Surface))
                          : ink(Ink::Text);
  const QColor below = isFilled ? withAlpha(text, 215) : ink(Ink::Muted);
  const QFontMetricsF metrics = painter.fontMetrics();
  const QRectF box = textArea().adjusted(m_node.canExpand ? PlusWidth : 6, 0, -6, 0);
  const QString detail = m_node.domains +
                         (m_node.domains.isEmpty() ? QString() : QStringLiteral("  ")) +
                         m_node.figure;
  const bool isSmall = m_node.kind == DagKind::Expression || m_node.kind == DagKind::Rest;
  painter.setPen(text);
  if (isSmall || detail.trimmed().isEmpty()) {
    painter.drawText(box, Qt::AlignCenter,
                     metrics.elidedText(m_node.name, Qt::ElideMiddle, box.width()));
  } else {
    const double line = metrics.height();
    const double top = (box.height() - 2 * line) / 2;
    painter.setFont(boldFont(painter.font()));
    painter.drawText(
        QRectF(box.left(), top, box.width(), line), Qt::AlignCenter,
        QFontMetricsF(painter.font()).elidedText(m_node.name, Qt::ElideMiddle, box.width()));
    painter.setFont(QGuiApplication::font());
    painter.setPen(below);
    painter.drawText(QRectF(box.left(), top + line, box.width(), line), Qt::AlignCenter,
                     metrics.elidedText(detail, Qt::ElideRight, box.width()));
  }
  if (m_node.canExpand) {
    painter.setPen(below);
    painter.drawText(QRectF(4, 2, metrics.height(), metrics.height()), Qt::AlignLeft | Qt::AlignTop,
                     m_node.isExpanded ? QStringLiteral("−") : QStringLiteral("+"));
  }
}

// What is stored is filled, what a click would store is outlined.
void NodeItem::paintSlabs(QPainter& painter) const {
  const std::size_t count = std::min(m_slabs.size(), m_look.slabs.size());
  for (std::size_t i = 0; i < count; ++i) {
    const SlabLook& look = m_look.slabs[i];
    const QColor body = m_node.isStored() ? ink(Ink::Raised) : colorOf(m_node.kind);
    const QColor on = m_node.isStored() ? colorOf(m_node.kind) : ink(Ink::Raised);
    QPen pen(look.isLegal ? body : withAlpha(body, 130), 1);
    if (!look.isLegal) pen.setStyle(Qt::DotLine);
    if (look.isHovered) pen = QPen(ink(Ink::Accent), 2.5);
    setInks(painter, pen, look.isOn ? body : withAlpha(body, look.isHovered ? 60 : 0));
    painter.drawRoundedRect(m_slabs[i], 3, 3);
    const QColor words = m_node.isStored() ? body : ink(Ink::Text);
    painter.setPen(look.isOn ? on : look.isLegal ? words : withAlpha(words, 130));
    painter.drawText(m_slabs[i], Qt::AlignCenter, look.words);
  }
}

EdgeItem::EdgeItem(const GraphSnapshot& graph, const GraphEdge& edge)
    : m_from(graph.nodes[edge.from].id),
      m_to(graph.nodes[edge.to].id),
      m_isCut(edge.isCut),
      m_width(edgeWidth(edge.bytes)) {
  setPath(pathOf(edge.spline));
  setToolTip(edgeTip(graph, edge));
  setEmphasis(false, false);
}

void EdgeItem::setEmphasis(bool isEmphasized, bool isDimmed) {
  QColor color = m_isCut ? ink(Ink::Cut) : ink(Ink::Field);
  if (!m_isCut && !isEmphasized) color.setAlpha(110);
  setPen(QPen(isEmphasized ? ink(Ink::Accent) : color,
              isEmphasized || m_isCut ? std::max(1.8, m_width) : m_width));
  setOpacity(isDimmed ? DimmedOpacity : 1);
  setZValue(isEmphasized ? 1 : 0);
  setFlag(ItemHasNoContents, !isEmphasized);
}

EdgeLayer::EdgeLayer(std::vector<EdgeItem*> edges) : m_edges(std::move(edges)) {
  setFlag(ItemUsesExtendedStyleOption);  // provides the exposed rectangle
  setAcceptedMouseButtons(Qt::NoButton);
  for (const EdgeItem* edge : m_edges) m_bounds |= edge->boundingRect();
}

void EdgeLayer::paint(QPainter* painter, const QStyleOptionGraphicsItem* option,
                      QWidget* /*widget*/) {
  painter->setBrush(Qt::NoBrush);
  for (const EdgeItem* edge : m_edges) {
    const bool paintsItself = !(edge->flags() & ItemHasNoContents);
    if (paintsItself || !edge->boundingRect().intersects(option->exposedRect)) continue;
    painter->setOpacity(edge->opacity());
    painter->setPen(edge->pen());
    painter->drawPath(edge->path());
  }
}

std::vector<QGraphicsItem*> makeRegionItems(const GraphSnapshot& graph) {
  constexpr double Everywhere = 1e5;  // the regions do not end where the nodes do
  constexpr double WordGap = 12;
  auto* far = new QGraphicsRectItem(*graph.cut, -Everywhere, Everywhere, 2 * Everywhere);
  setInks(*far, Qt::NoPen, withAlpha(ink(Ink::Cut), 22));
  far->setZValue(-3);
  auto* border = new QGraphicsLineItem(*graph.cut, -Everywhere, *graph.cut, Everywhere);
  QPen pen(ink(Ink::Cut), 2);
  pen.setCosmetic(true);
  border->setPen(pen);
  border->setZValue(-2);
  border->setToolTip(QObject::tr(
      "The cut: what is left of it is computed once a nonlinear iteration and kept, what "
      "is right of it every linear iteration computes again."));
  std::vector<QGraphicsItem*> items = {far, border};
  const auto addWords = [&](const QString& text, bool isLeft) {
    auto* words = new QGraphicsSimpleTextItem(text);
    words->setFont(QGuiApplication::font());
    words->setBrush(ink(Ink::Cut));
    // They are as large as other text at any scale.
    words->setFlag(QGraphicsItem::ItemIgnoresTransformations);
    const double width = words->boundingRect().width();
    words->setTransform(
        QTransform::fromTranslate(isLeft ? -width - WordGap : WordGap, WordGap / 2));
    words->setPos(*graph.cut, shownArea(graph).top());
    items.push_back(words);
  };
  addWords(QObject::tr("once a nonlinear iteration"), true);
  addWords(QObject::tr("every linear iteration"), false);
  return items;
}

QGraphicsItem* makeClusterItem(const GraphCluster& cluster) {
  QPainterPath path;
  path.addRoundedRect(cluster.box, 8, 8);
  auto* item = new QGraphicsPathItem(path);
  setInks(*item, QPen(ink(Ink::Frame), 1.5), withAlpha(ink(Ink::Raised), 140));
  item->setZValue(-1);
  auto* name = new QGraphicsSimpleTextItem(cluster.name, item);
  name->setBrush(ink(Ink::Muted));
  name->setPos(cluster.box.topLeft() + QPointF(8, 4));
  return item;
}

}  // namespace thallo::gui
