#include "gui/graph/view/graph_page.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <QAccessible>
#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>
#include <QWheelEvent>

#include "gui/base/text.h"
#include "gui/graph/graph_fit.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr double Step = 1.2;  // of the wheel and of the keys
constexpr int TryDelay = 60;  // milliseconds
constexpr double SmallestScale = 0.05, LargestScale = 4;

QString tipOf(const GraphNode& node) {
  QString tip = node.name;
  if (!node.domains.isEmpty()) tip += QObject::tr(" over %1").arg(node.domains);
  if (node.flops) tip += '\n' + quantityText(*node.flops, "flop");
  if (node.bytes) tip += '\n' + bytesText(*node.bytes);
  const QString text = node.text.section('\n', 0, 11);
  return tip + '\n' + text + (text.size() < node.text.size() ? QStringLiteral("\n…") : QString());
}

// Says what an edit would change of a node.
QString changeWords(const GraphPreview::Change& change) {
  if (change.isGone) return QObject::tr("not there");
  QStringList words;
  if (change.changesStored)
    words << (change.isStored ? QObject::tr("stored") : QObject::tr("not stored"));
  if (change.movesSide)
    words << (change.isFar ? QObject::tr("every linear iteration") : QObject::tr("once"));
  return words.join(", ");
}

}  // namespace

GraphView::GraphView() {
  named(this, "graphView", tr("Expression graph"));
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
  if (node == nullptr) return Q_EMIT nodeClicked({}, std::nullopt);
  Q_EMIT nodeClicked(node->node().id, slabAt(*node, event->pos()));
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
  NodeItem* node = nodeAt(event->pos());
  // The second click at a slab is one more.
  if (node != nullptr && !slabAt(*node, event->pos())) Q_EMIT nodeDoubleClicked(node->node().id);
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
  QGraphicsView::mouseMoveEvent(event);
  if (event->buttons() != Qt::NoButton) return;
  const NodeItem* node = nodeAt(event->pos());
  if (node == nullptr)
    Q_EMIT nodeHovered({}, std::nullopt);
  else
    Q_EMIT nodeHovered(node->node().id, slabAt(*node, event->pos()));
  showTip(event->globalPosition().toPoint(), event->pos());
}

void GraphView::leaveEvent(QEvent* event) {
  QGraphicsView::leaveEvent(event);
  Q_EMIT nodeHovered({}, std::nullopt);
}

std::optional<std::size_t> GraphView::slabAt(const NodeItem& node, QPoint position) const {
  return node.slabAt(node.mapFromScene(mapToScene(position)));
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
  const auto slab = slabAt(*node, position);
  const bool isOfSlab = slab && m_slabTip != nullptr;
  const QRectF box = isOfSlab ? node->slabArea(*slab).translated(node->pos())
                              : QRectF(node->pos(), node->node().box.size());
  QToolTip::showText(global, isOfSlab ? m_slabTip(node->node(), *slab) : tipOf(node->node()),
                     viewport(), mapFromScene(box).boundingRect().adjusted(-1, -1, 1, 1),
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
    case Qt::Key_V:
    case Qt::Key_G:
    case Qt::Key_P:
      if (event->modifiers() == Qt::NoModifier) return Q_EMIT slabAsked(event->text());
      [[fallthrough]];
    default: QGraphicsView::keyPressEvent(event);
  }
}

void GraphView::resizeEvent(QResizeEvent* event) {
  QGraphicsView::resizeEvent(event);
  Q_EMIT resized();
  if (m_showsAll) showAll();
}

GraphPage::GraphPage(Workspace& workspace)
    : Page(workspace, "graph", tr("Graph")),
      m_view(new GraphView),
      m_scene(new QGraphicsScene(this)),
      m_minimap(new GraphMinimap(*m_view)),
      m_notice(new QWidget),
      m_caption(named(mutedNote(), "graphCaption")),
      m_previewWords(named(new QLabel(m_view), "previewWords")),
      m_refresh(*this, [this] { showGraph(); }) {
  m_view->setScene(m_scene);
  setContent(makePane(makeColumn({makeNotice(), {m_view, 1}}, {0, 0, 0, 0}, 0)));
  setFocusProxy(m_view);
  m_previewWords->setAutoFillBackground(true);
  m_previewWords->setMargin(6);
  m_previewWords->hide();
  setAction(tr("Try again"), [this] { this->workspace().graph().refresh(); });
  onThemeChange(*this, [this] {
    if (m_shown) rebuild();
  });
  connectView();
  GraphModel& graph = workspace.graph();
  connect(&graph, &GraphModel::graphChanged, this, &GraphPage::refresh);
  connect(&graph, &GraphModel::previewChanged, this, &GraphPage::showPreview);
  connect(&workspace.schedule(), &ScheduleModel::sitesChanged, this, &GraphPage::onLooks);
  connect(&workspace.selection(), &SelectionModel::changed, this, &GraphPage::showSelection);
  connect(&workspace.links(), &LinkModel::changed, this, &GraphPage::onLooks);
  refresh();
}

QWidget* GraphPage::makeNotice() {
  auto* retry = named(new QPushButton(tr("Try again")), "retryLayout");
  retry->setToolTip(tr("Lays the graph out once more"));
  connect(retry, &QPushButton::clicked, &workspace().graph(), &GraphModel::refresh);
  m_notice->setLayout(makeRow({{m_caption, 1}, retry}, {12, 6, 12, 6}));
  return m_notice;
}

void GraphPage::connectView() {
  connect(m_view, &GraphView::nodeClicked, this,
          [this](const QString& id, std::optional<std::size_t> slab) {
            const GraphNode* clicked = node(id);
            if (clicked == nullptr) return this->workspace().selection().clear();
            this->workspace().selection().select({Selection::Kind::Node, id});
            if (slab) this->workspace().graph().toggle(*clicked, *slab);
          });
  m_view->setSlabTip([this](const GraphNode& its, std::size_t slab) {
    return this->workspace().graph().slabsOf(its)[slab].tip();
  });
  connect(m_view, &GraphView::nodeDoubleClicked, this, [this](const QString& id) {
    const GraphNode* clicked = node(id);
    if (clicked != nullptr && clicked->canExpand) this->workspace().graph().toggleExpanded(id);
  });
  connect(m_view, &GraphView::nodeHovered, this, &GraphPage::hover);
  m_try.setSingleShot(true);
  m_try.setInterval(TryDelay);
  connect(&m_try, &QTimer::timeout, this, [this] {
    const GraphNode* hovered = node(m_hovered);
    if (hovered != nullptr && m_hoveredSlab)
      this->workspace().graph().tryToggle(*hovered, *m_hoveredSlab);
  });
  connect(m_view, &GraphView::changeAsked, this, [this] {
    if (const GraphNode* chosen = selectedNode()) this->workspace().graph().storeNext(*chosen);
  });
  connect(m_view, &GraphView::slabAsked, this, [this](const QString& letter) {
    const GraphNode* chosen = selectedNode();
    if (chosen == nullptr) return;
    const std::vector<GraphSlab> slabs = this->workspace().graph().slabsOf(*chosen);
    for (std::size_t i = 0; i < slabs.size(); ++i)
      if (slabs[i].name.startsWith(letter)) return this->workspace().graph().toggle(*chosen, i);
  });
  connect(m_view, &GraphView::expandAsked, this, [this] {
    const GraphNode* chosen = selectedNode();
    if (chosen != nullptr && chosen->canExpand)
      this->workspace().graph().toggleExpanded(chosen->id);
  });
  connect(m_view, &GraphView::resized, this, [this] {
    if (isVisible()) this->workspace().graph().setPage(m_view->page());
  });
  connect(m_view, &GraphView::stepAsked, this, &GraphPage::step);
}

const GraphNode* GraphPage::selectedNode() const {
  const Selection& selection = workspace().selection().current();
  return selection.kind == Selection::Kind::Node ? node(selection.id) : nullptr;
}

void GraphPage::hover(const QString& id, std::optional<std::size_t> slab) {
  if (id == m_hovered && slab == m_hoveredSlab) return;
  const bool hadSlab = m_hoveredSlab.has_value();
  m_hovered = id;
  m_hoveredSlab = slab;
  if (hadSlab) workspace().schedule().endTrial();
  m_try.stop();
  if (slab) m_try.start();
  refreshLooks();
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

void GraphPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  workspace().graph().setPage(m_view->page());
}

void GraphPage::refresh() {
  const auto& graph = workspace().graph().graph();
  follow(graph, tr("Open a problem to see its expressions."), tr("Laying out the graph …"));
  if (graph.value != m_shown && graph.state != RemoteState::Busy) m_refresh.ask();
}

void GraphPage::showGraph() {
  const auto& graph = workspace().graph().graph();
  if (graph.value == m_shown || graph.state == RemoteState::Busy) return refreshLooks();
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

void GraphPage::onLooks() {
  m_refresh.askFor([this] { refreshLooks(); });
}

void GraphPage::refreshLooks() {
  const auto& preview = workspace().graph().preview();
  // Emphasizes the node under the mouse with everything that it reads and everything that reads it.
  // While an edit is tried out, emphasizes the cut that it would make instead.
  std::set<QString> near = {m_hovered};
  for (EdgeItem* edge : m_edges) {
    const bool isNear = preview ? preview->cut.contains({edge->from(), edge->to()})
                                : edge->from() == m_hovered || edge->to() == m_hovered;
    if (isNear) near.insert({edge->from(), edge->to()});
    edge->setEmphasis(isNear, (preview || !m_hovered.isEmpty()) && !isNear);
  }
  if (m_edgeLayer != nullptr) m_edgeLayer->update();
  for (auto& [id, item] : m_nodes) {
    NodeLook look = lookOf(item->node());
    const bool isChanged = preview && preview->changes.contains(id);
    look.isDimmed = (preview || !m_hovered.isEmpty()) && !isChanged && !near.contains(id);
    item->setLook(look);
  }
}

NodeLook GraphPage::lookOf(const GraphNode& its) const {
  const GraphModel& graph = workspace().graph();
  const GraphNode* selected = selectedNode();
  NodeLook look{.isSelected = selected != nullptr && selected->id == its.id,
                .isLinked = workspace().links().linked().nodes.contains(its.id)};
  const std::vector<GraphSlab> slabs = graph.slabsOf(its);
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    const QString label = slabLabel(slabs[i].name), gain = slabs[i].gain;
    look.slabs.push_back({.words = gain.isEmpty() ? label : label + ' ' + gain,
                          .isOn = slabs[i].isOn,
                          .isLegal = slabs[i].illegal.isEmpty(),
                          .isHovered = m_hovered == its.id && m_hoveredSlab == i});
  }
  if (const auto& preview = graph.preview()) {
    const auto change = preview->changes.find(its.id);
    if (change == preview->changes.end()) return look;
    look.isPreview = true;
    look.badge = changeWords(change->second);
  } else if (const auto gain = graph.gainOf(its)) {
    look.badge = tr("possible %1").arg(gainText(*gain));
    look.isGain = true;
  }
  return look;
}

void GraphPage::showPreview() {
  const auto& preview = workspace().graph().preview();
  m_previewWords->setVisible(preview != nullptr);
  if (preview) {
    m_previewWords->setText(tr("The cut if you take  %1").arg(preview->words()));
    m_previewWords->adjustSize();
    const QRect area = m_view->viewport()->geometry();
    m_previewWords->move(area.left() + 8, area.bottom() - m_previewWords->height() - 8);
  }
  onLooks();
}

void GraphPage::showSelection() {
  onLooks();
  const Selection& selection = workspace().selection().current();
  const bool isNode = selection.kind == Selection::Kind::Node;
  const auto found = isNode ? m_nodes.find(selection.id) : m_nodes.end();
  m_view->tell(found == m_nodes.end() ? QString() : tipOf(found->second->node()));
  if (found != m_nodes.end()) m_view->ensureVisible(found->second);
}

}  // namespace thallo::gui
