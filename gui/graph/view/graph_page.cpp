#include "gui/graph/view/graph_page.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <QAccessible>
#include <QApplication>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>
#include <QVBoxLayout>
#include <QWheelEvent>

#include "gui/base/text.h"
#include "gui/graph/graph_fit.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr double Step = 1.2;  // of the wheel and of the keys
constexpr double SmallestScale = 0.05, LargestScale = 4;

QString tipOf(const GraphNode& node) {
  QString tip = node.name;
  if (!node.domains.isEmpty()) tip += QObject::tr(" over %1").arg(node.domains);
  if (node.flops) tip += '\n' + quantityText(*node.flops, "flop");
  if (node.bytes) tip += '\n' + bytesText(*node.bytes);
  const QString text = node.text.section('\n', 0, 11);
  return tip + '\n' + text + (text.size() < node.text.size() ? QStringLiteral("\n…") : QString());
}

}  // namespace

GraphView::GraphView(QWidget* parent) : QGraphicsView(parent) {
  setObjectName("graphView");
  setAccessibleName(tr("Expression graph"));
  setRenderHint(QPainter::Antialiasing);
  setDragMode(QGraphicsView::ScrollHandDrag);
  setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
  setFrameShape(QFrame::NoFrame);
  setMouseTracking(true);
  viewport()->setCursor(Qt::ArrowCursor);
}

void GraphView::showAll() {
  m_showsAll = true;
  if (scene() == nullptr || scene()->sceneRect().isEmpty()) return;
  fitInView(scene()->sceneRect(), Qt::KeepAspectRatio);
  const double scale = transform().m11();
  if (scale > LargestFit) setTransform(QTransform::fromScale(LargestFit, LargestFit));
}

void GraphView::tell(const QString& text) {
  setAccessibleDescription(text);
  QAccessibleEvent event(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&event);
}

QSizeF GraphView::page() const { return maximumViewportSize(); }

NodeItem* GraphView::nodeAt(QPoint position) const {
  for (QGraphicsItem* item : items(position))
    if (auto* node = dynamic_cast<NodeItem*>(item)) return node;
  return nullptr;
}

void GraphView::zoom(double factor) {
  const double scale = transform().m11() * factor;
  if (scale < SmallestScale || scale > LargestScale) return;
  m_showsAll = false;
  this->scale(factor, factor);
}

void GraphView::wheelEvent(QWheelEvent* event) {
  zoom(std::pow(Step, event->angleDelta().y() / 120.0));
}

void GraphView::mousePressEvent(QMouseEvent* event) {
  m_pressed = event->pos();
  QGraphicsView::mousePressEvent(event);
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
  QGraphicsView::mouseReleaseEvent(event);
  viewport()->setCursor(Qt::ArrowCursor);
  const bool isDrag =
      (event->pos() - m_pressed).manhattanLength() > QApplication::startDragDistance();
  if (isDrag || event->button() != Qt::LeftButton) return;
  NodeItem* node = nodeAt(event->pos());
  if (node == nullptr) return Q_EMIT nodeClicked({}, false);
  const QPointF inNode = node->mapFromScene(mapToScene(event->pos()));
  Q_EMIT nodeClicked(node->node().id, node->storeArea().contains(inNode));
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (NodeItem* node = nodeAt(event->pos())) Q_EMIT nodeDoubleClicked(node->node().id);
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
  QGraphicsView::mouseMoveEvent(event);
  if (event->buttons() != Qt::NoButton) return;
  const NodeItem* node = nodeAt(event->pos());
  Q_EMIT nodeHovered(node == nullptr ? QString() : node->node().id);
  showTip(event->globalPosition().toPoint(), event->pos());
}

bool GraphView::viewportEvent(QEvent* event) {
  // The scene would hide a node's tool tip, because it does not know the node's text.
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    if (showTip(help->globalPos(), help->pos())) return true;
  }
  return QGraphicsView::viewportEvent(event);
}

bool GraphView::showTip(const QPoint& global, const QPoint& position) {
  const NodeItem* node = nodeAt(position);
  if (node == nullptr) return false;
  const QRectF box(node->pos(), node->node().box.size());
  QToolTip::showText(global, tipOf(node->node()), viewport(),
                     mapFromScene(box).boundingRect().adjusted(-1, -1, 1, 1),
                     std::numeric_limits<int>::max());
  return true;
}

void GraphView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoom(Step);
    case Qt::Key_Minus: return zoom(1 / Step);
    case Qt::Key_0: return showAll();
    case Qt::Key_Space: return Q_EMIT changeAsked();
    case Qt::Key_Return:
    case Qt::Key_Enter: return Q_EMIT expandAsked();
    case Qt::Key_Left: return Q_EMIT stepAsked(GraphStep::ToOperand);
    case Qt::Key_Right: return Q_EMIT stepAsked(GraphStep::ToUser);
    case Qt::Key_Up: return Q_EMIT stepAsked(GraphStep::Up);
    case Qt::Key_Down: return Q_EMIT stepAsked(GraphStep::Down);
    default: QGraphicsView::keyPressEvent(event);
  }
}

void GraphView::resizeEvent(QResizeEvent* event) {
  QGraphicsView::resizeEvent(event);
  Q_EMIT resized();
  if (m_showsAll) showAll();
}

GraphPage::GraphPage(Workspace& workspace, QWidget* parent)
    : Page(workspace, "graph", tr("Graph"), parent),
      m_view(new GraphView),
      m_scene(new QGraphicsScene(this)),
      m_minimap(new GraphMinimap(*m_view)),
      m_notice(new QWidget),
      m_caption(new QLabel) {
  m_view->setScene(m_scene);
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeNotice());
  layout->addWidget(m_view, 1);
  setContent(content);
  setFocusProxy(m_view);
  setAction(tr("Try again"), [this] { this->workspace().graph().refresh(); });
  connectView();
  GraphModel& graph = workspace.graph();
  connect(&graph, &GraphModel::graphChanged, this, &GraphPage::refresh);
  connect(&workspace.schedule(), &ScheduleModel::sitesChanged, this, &GraphPage::refreshLooks);
  connect(&workspace.selection(), &SelectionModel::changed, this, &GraphPage::showSelection);
  refresh();
}

QWidget* GraphPage::makeNotice() {
  m_caption->setObjectName("graphCaption");
  m_caption->setForegroundRole(QPalette::PlaceholderText);
  m_caption->setWordWrap(true);
  auto* retry = new QPushButton(tr("Try again"));
  retry->setObjectName("retryLayout");
  retry->setToolTip(tr("Lays the graph out once more"));
  connect(retry, &QPushButton::clicked, &workspace().graph(), &GraphModel::refresh);
  auto* layout = new QHBoxLayout(m_notice);
  layout->setContentsMargins(12, 6, 12, 6);
  layout->addWidget(m_caption, 1);
  layout->addWidget(retry);
  return m_notice;
}

void GraphPage::connectView() {
  connect(m_view, &GraphView::nodeClicked, this, [this](const QString& id, bool isOnStore) {
    const GraphNode* clicked = node(id);
    if (clicked == nullptr) return this->workspace().selection().clear();
    this->workspace().selection().select({Selection::Kind::Node, id});
    if (isOnStore) this->workspace().graph().storeNext(*clicked);
  });
  connect(m_view, &GraphView::nodeDoubleClicked, this, [this](const QString& id) {
    const GraphNode* clicked = node(id);
    if (clicked != nullptr && clicked->canExpand) this->workspace().graph().toggleExpanded(id);
  });
  connect(m_view, &GraphView::nodeHovered, this, [this](const QString& id) {
    if (id == m_hovered) return;
    m_hovered = id;
    refreshLooks();
  });
  const auto selected = [this]() -> const GraphNode* {
    const Selection& selection = this->workspace().selection().current();
    return selection.kind == Selection::Kind::Node ? node(selection.id) : nullptr;
  };
  connect(m_view, &GraphView::changeAsked, this, [this, selected] {
    if (const GraphNode* chosen = selected()) this->workspace().graph().storeNext(*chosen);
  });
  connect(m_view, &GraphView::expandAsked, this, [this, selected] {
    const GraphNode* chosen = selected();
    if (chosen != nullptr && chosen->canExpand)
      this->workspace().graph().toggleExpanded(chosen->id);
  });
  connect(m_view, &GraphView::resized, this,
          [this] { this->workspace().graph().setPage(m_view->page()); });
  connect(m_view, &GraphView::stepAsked, this, &GraphPage::step);
}

// If no node is selected, selects the first one.
void GraphPage::step(GraphStep step) {
  if (!m_shown || m_shown->nodes.empty()) return;
  const auto& nodes = m_shown->nodes;
  const Selection& selection = workspace().selection().current();
  const auto selected = selection.kind == Selection::Kind::Node
                            ? std::ranges::find(nodes, selection.id, &GraphNode::id)
                            : nodes.end();
  if (selected == nodes.end())
    return workspace().selection().select({Selection::Kind::Node, nodes.front().id});
  const auto from = static_cast<std::size_t>(selected - nodes.begin());
  if (const auto next = nodeAfter(*m_shown, from, step))
    workspace().selection().select({Selection::Kind::Node, nodes[*next].id});
}

const GraphNode* GraphPage::node(const QString& id) const {
  const auto found = m_nodes.find(id);
  return found == m_nodes.end() ? nullptr : &found->second->node();
}

bool GraphPage::isSettled() const {
  const auto& schedule = workspace().schedule().schedule().value;
  return Page::isSettled() && schedule && m_shown && m_shown->scheduleHash == schedule->hash;
}

void GraphPage::changeEvent(QEvent* event) {
  Page::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_shown) rebuild();
}

void GraphPage::refresh() {
  const auto& graph = workspace().graph().graph();
  follow(graph, tr("Open a problem to see its expressions."), tr("Laying out the graph …"));
  if (graph.value == m_shown || graph.state == RemoteState::Busy) return;
  m_shown = graph.value;
  rebuild();
}

void GraphPage::rebuild() {
  m_nodes.clear();
  m_edges.clear();
  m_edgeLayer = nullptr;
  m_scene->clear();
  m_view->setBackgroundBrush(ink(Ink::Surface));
  if (!m_shown) return;
  for (const GraphCluster& cluster : m_shown->clusters) m_scene->addItem(makeClusterItem(cluster));
  for (const GraphEdge& edge : m_shown->edges) {
    m_edges.push_back(new EdgeItem(*m_shown, edge));
    m_scene->addItem(m_edges.back());
  }
  m_edgeLayer = new EdgeLayer(m_edges);
  m_scene->addItem(m_edgeLayer);
  for (const GraphNode& its : m_shown->nodes) {
    m_nodes[its.id] = new NodeItem(its);
    m_scene->addItem(m_nodes[its.id]);
  }
  if (m_shown->cut)
    for (QGraphicsItem* item : makeRegionItems(*m_shown)) m_scene->addItem(item);
  m_scene->setSceneRect(shownArea(*m_shown));
  m_caption->setText(m_shown->notice);
  m_notice->setVisible(!m_shown->notice.isEmpty());
  m_view->showAll();
  m_minimap->redraw();
  refreshLooks();
}

void GraphPage::refreshLooks() {
  const Selection& selection = workspace().selection().current();
  const GraphModel& graph = workspace().graph();
  // Emphasizes the node under the mouse with everything that it reads and everything that reads it.
  std::set<QString> near = {m_hovered};
  for (EdgeItem* edge : m_edges) {
    const bool isNear = edge->from() == m_hovered || edge->to() == m_hovered;
    if (isNear) near.insert({edge->from(), edge->to()});
    edge->setEmphasis(isNear, !m_hovered.isEmpty() && !isNear);
  }
  if (m_edgeLayer != nullptr) m_edgeLayer->update();
  for (auto& [id, item] : m_nodes) {
    NodeLook look{.isSelected = selection.kind == Selection::Kind::Node && selection.id == id,
                  .isDimmed = !m_hovered.isEmpty() && !near.contains(id),
                  .badge = {}};
    const auto gain = graph.gainOf(item->node());
    if (gain) {
      look.badge = tr("possible %1").arg(gainText(*gain));
      look.isGain = true;
    }
    item->setLook(look);
  }
}

void GraphPage::showSelection() {
  refreshLooks();
  const Selection& selection = workspace().selection().current();
  const bool isNode = selection.kind == Selection::Kind::Node;
  const auto found = isNode ? m_nodes.find(selection.id) : m_nodes.end();
  m_view->tell(found == m_nodes.end() ? QString() : tipOf(found->second->node()));
  if (found != m_nodes.end()) m_view->ensureVisible(found->second);
}

}  // namespace thallo::gui
