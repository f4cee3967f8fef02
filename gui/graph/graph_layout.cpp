#include "gui/graph/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <QFontMetricsF>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "gui/graph/graph_slabs.h"

namespace thallo::gui {
namespace {

constexpr double Padding = 12;
constexpr double SmallestWidth = 56;
constexpr double LargestWidth = 180;
// Distances between columns, and between nodes of a column, if dot is not available.
constexpr double ColumnGap = 72, RowGap = 16;
// Slabs are below the text of a node.
constexpr double SlabHeight = 17, SlabGap = 4, SlabMargin = 6;

QPointF readPoint(const QString& text, double height) {
  const QStringList numbers = text.split(',');
  if (numbers.size() < 2) return {};
  return {numbers[0].toDouble(), height - numbers[1].toDouble()};
}

QRectF readBox(const QString& text, double height) {
  const QStringList numbers = text.split(',');
  if (numbers.size() < 4) return {};
  return QRectF(QPointF(numbers[0].toDouble(), height - numbers[3].toDouble()),
                QPointF(numbers[2].toDouble(), height - numbers[1].toDouble()));
}

// Parses "e,x,y x,y x,y ...": the tip of the arrow comes first here, and becomes the last point. If
// the arrow is at the first node (dir=back), the text is "s,x,y ..." and the spline is reversed.
std::vector<QPointF> readSpline(const QString& text, double height) {
  std::vector<QPointF> points;
  std::optional<QPointF> end;
  bool isBackward = false;
  for (const QString& part : text.split(' ', Qt::SkipEmptyParts)) {
    if (part.startsWith("e,") || part.startsWith("s,")) {
      isBackward = part.startsWith("s,");
      end = readPoint(part.mid(2), height);
    } else {
      points.push_back(readPoint(part, height));
    }
  }
  if (isBackward) std::ranges::reverse(points);
  if (end && points.size() >= 4) points.insert(points.end(), {points.back(), *end, *end});
  return points;
}

// Returns the column of each node: to the right of what it reads on its side of the cut and, if it
// is far, to the right of the whole near side.
std::vector<std::size_t> columnsOf(const GraphSnapshot& graph) {
  std::vector<std::size_t> columns(graph.nodes.size(), 0);
  std::size_t nearEnd = 0;
  // Nodes come after those that they read, and edges are sorted by the node that is read.
  for (const GraphEdge& edge : graph.edges) {
    if (graph.nodes[edge.from].isFar == graph.nodes[edge.to].isFar)
      columns[edge.to] = std::max(columns[edge.to], columns[edge.from] + 1);
  }
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!graph.nodes[i].isFar) nearEnd = std::max(nearEnd, columns[i] + 1);
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (graph.nodes[i].isFar) columns[i] += nearEnd;
  return columns;
}

QPointF middleOf(const GraphSnapshot& graph, std::size_t node) {
  return graph.nodes[node].box.center();
}

std::vector<std::size_t> neighbors(const GraphSnapshot& graph, std::size_t from, bool areOperands) {
  std::vector<std::size_t> result;
  for (const GraphEdge& edge : graph.edges) {
    const std::size_t here = areOperands ? edge.to : edge.from;
    const std::size_t there = areOperands ? edge.from : edge.to;
    if (here == from && there != from) result.push_back(there);
  }
  return result;
}

std::vector<std::size_t> beyond(const GraphSnapshot& graph, std::size_t from, bool isUp) {
  std::vector<std::size_t> result;
  const double y = middleOf(graph, from).y();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const double other = middleOf(graph, i).y();
    if (isUp ? other < y : other > y) result.push_back(i);
  }
  return result;
}

}  // namespace

std::vector<QPointF> straightSpline(const QRectF& from, const QRectF& to) {
  const bool isBackward = to.center().x() < from.center().x();
  const QPointF start(isBackward ? from.left() : from.right(), from.center().y());
  const QPointF end(isBackward ? to.right() : to.left(), to.center().y());
  const double reach = std::max(24.0, std::abs(end.x() - start.x()) / 2) * (isBackward ? -1 : 1);
  return {start, start + QPointF(reach, 0), end - QPointF(reach, 0), end};
}

std::vector<QPointF> uprightSpline(const QRectF& from, const QRectF& to) {
  const bool isUp = to.center().y() < from.center().y();
  // Edges at the same side of a box are beside each other.
  const double aside = to.center().x() - from.center().x();
  const auto endAt = [aside](const QRectF& box, double sign) {
    const double most = box.width() / 3;
    return box.center().x() + sign * std::clamp(aside / 4, -most, most);
  };
  const QPointF start(endAt(from, 1), isUp ? from.top() : from.bottom());
  const QPointF end(endAt(to, -1), isUp ? to.bottom() : to.top());
  const double reach = std::max(16.0, std::abs(end.y() - start.y()) / 2) * (isUp ? -1 : 1);
  return {start, start + QPointF(0, reach), end - QPointF(0, reach), end};
}

void includeBounds(GraphSnapshot& graph) {
  graph.bounds = {};
  for (const GraphNode& node : graph.nodes) graph.bounds |= node.box;
  for (const GraphCluster& cluster : graph.clusters) graph.bounds |= cluster.box;
}

namespace {

// As wide as its label with a cost.
double slabWidth(const GraphNode& node, std::size_t slab) {
  const GraphSlab its = slabsOf(node, {})[slab];
  return QFontMetricsF(QGuiApplication::font())
             .horizontalAdvance(slabLabel(its.name) + QStringLiteral(" −100 %")) +
         8;
}

double slabsWidth(const GraphNode& node) {
  double width = 0;
  for (std::size_t i = 0; i < numSlabs(node); ++i)
    width += slabWidth(node, i) + (i == 0 ? 0 : SlabGap);
  return width;
}

}  // namespace

QSizeF nodeSize(const GraphNode& node) {
  QFont bold = QGuiApplication::font();
  const QFontMetricsF metrics(bold);
  bold.setWeight(QFont::DemiBold);
  const QString below = node.domains + (node.domains.isEmpty() ? "" : "  ") + node.figure;
  double width =
      std::max(QFontMetricsF(bold).horizontalAdvance(node.name), metrics.horizontalAdvance(below));
  // Leaves room for the mark of nodes that can be expanded.
  if (node.canExpand) width += metrics.height();
  const double slabs = slabsWidth(node);
  width = std::max(width, slabs + 2 * (SlabMargin - Padding));
  const bool isSmall = node.kind == DagKind::Expression || node.kind == DagKind::Rest;
  const double lines = isSmall || below.trimmed().isEmpty() ? 1 : 2;
  return {std::clamp(width + 2 * Padding, isSmall ? 24 : SmallestWidth, LargestWidth),
          lines * metrics.height() + (isSmall ? 6 : 14) + (slabs > 0 ? SlabHeight + 1 : 0)};
}

std::vector<QRectF> slabAreas(const GraphNode& node, const QSizeF& size) {
  std::vector<QRectF> areas;
  double x = (size.width() - slabsWidth(node)) / 2;
  for (std::size_t i = 0; i < numSlabs(node); ++i) {
    const double width = slabWidth(node, i);
    areas.emplace_back(x, size.height() - SlabHeight - SlabMargin, width, SlabHeight);
    x += width + SlabGap;
  }
  return areas;
}

QString slabLabel(const QString& name) {
  return name == QLatin1String("gradient") ? QStringLiteral("∂") : name;
}

Expected<void> applyDotLayout(const QByteArray& json, GraphSnapshot& graph) {
  const QJsonObject root = QJsonDocument::fromJson(json).object();
  const QStringList extent = root.value("bb").toString().split(',');
  if (extent.size() < 4) return fail("dot answered with no layout");
  const double height = extent[3].toDouble();
  std::map<QString, std::size_t> positions;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) positions[graph.nodes[i].id] = i;
  std::map<std::pair<std::size_t, std::size_t>, GraphEdge*> edges;
  for (GraphEdge& edge : graph.edges) edges[{edge.from, edge.to}] = &edge;

  // Maps dot's node numbers to positions in graph.nodes.
  std::map<int, std::size_t> numbers;
  std::size_t placed = 0;
  graph.clusters.clear();
  for (const QJsonValue& value : root.value("objects").toArray()) {
    const QJsonObject object = value.toObject();
    const QString name = object.value("name").toString();
    if (const auto node = positions.find(name); node != positions.end()) {
      const QPointF center = readPoint(object.value("pos").toString(), height);
      const QSizeF size = nodeSize(graph.nodes[node->second]);
      graph.nodes[node->second].box =
          QRectF(center - QPointF(size.width() / 2, size.height() / 2), size);
      numbers[object.value("_gvid").toInt()] = node->second;
      ++placed;
    } else if (name.startsWith("cluster")) {
      const QString id = name.mid(QStringLiteral("cluster ").size());
      graph.clusters.push_back(
          {id, id.section(':', 1), readBox(object.value("bb").toString(), height)});
    }
  }
  if (placed != graph.nodes.size())
    return fail("dot placed {} of {} nodes", placed, graph.nodes.size());
  for (const QJsonValue& value : root.value("edges").toArray()) {
    const QJsonObject object = value.toObject();
    const auto from = numbers.find(object.value("tail").toInt());
    const auto to = numbers.find(object.value("head").toInt());
    if (from == numbers.end() || to == numbers.end()) continue;
    auto edge = edges.find({from->second, to->second});
    // An edge that leads back names its reader first.
    if (edge == edges.end()) edge = edges.find({to->second, from->second});
    if (edge != edges.end())
      edge->second->spline = readSpline(object.value("pos").toString(), height);
  }
  for (GraphEdge& edge : graph.edges) {
    if (edge.spline.size() < 4)
      edge.spline = straightSpline(graph.nodes[edge.from].box, graph.nodes[edge.to].box);
  }
  includeBounds(graph);
  return {};
}

void applyRankLayout(GraphSnapshot& graph) {
  const std::vector<std::size_t> ranks = columnsOf(graph);
  std::vector<double> wanted(graph.nodes.size(), 0);
  double x = 0;
  const std::size_t numRanks = ranks.empty() ? 0 : *std::ranges::max_element(ranks) + 1;
  for (std::size_t rank = 0; rank < numRanks; ++rank) {
    std::vector<std::size_t> column;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (ranks[i] == rank) column.push_back(i);
    // Sorts by the average position of the nodes that a node reads.
    for (const std::size_t node : column) {
      double sum = 0, count = 0;
      for (const GraphEdge& edge : graph.edges) {
        if (edge.to != node) continue;
        sum += graph.nodes[edge.from].box.center().y();
        ++count;
      }
      if (count > 0) wanted[node] = sum / count;
    }
    std::ranges::stable_sort(column, {}, [&](std::size_t node) { return wanted[node]; });
    double width = 0, height = -RowGap;
    for (const std::size_t node : column) {
      const QSizeF size = nodeSize(graph.nodes[node]);
      width = std::max(width, size.width());
      height += size.height() + RowGap;
    }
    double y = -height / 2;
    for (const std::size_t node : column) {
      const QSizeF size = nodeSize(graph.nodes[node]);
      graph.nodes[node].box = QRectF(QPointF(x + (width - size.width()) / 2, y), size);
      y += size.height() + RowGap;
    }
    x += width + ColumnGap;
  }
  for (GraphEdge& edge : graph.edges) {
    edge.spline = straightSpline(graph.nodes[edge.from].box, graph.nodes[edge.to].box);
  }
  graph.clusters.clear();
  includeBounds(graph);
}

void traceCut(GraphSnapshot& graph) {
  graph.cut.reset();
  if (std::ranges::none_of(graph.edges, &GraphEdge::isCut)) return;
  double left = -INFINITY, right = INFINITY;
  for (const GraphNode& node : graph.nodes) {
    if (node.isFar)
      right = std::min(right, node.box.left());
    else
      left = std::max(left, node.box.right());
  }
  graph.cut = (left + right) / 2;
}

std::optional<std::size_t> nodeAfter(const GraphSnapshot& graph, std::size_t from, GraphStep step) {
  const bool isAlong = step == GraphStep::ToOperand || step == GraphStep::ToUser;
  const std::vector<std::size_t> candidates =
      isAlong ? neighbors(graph, from, step == GraphStep::ToOperand)
              : beyond(graph, from, step == GraphStep::Up);
  if (candidates.empty()) return std::nullopt;
  const QRectF& box = graph.nodes[from].box;
  const auto distance = [&](std::size_t node) {
    const QPointF off = middleOf(graph, node) - box.center();
    const QRectF& other = graph.nodes[node].box;
    const bool isInColumn = other.left() < box.right() && box.left() < other.right();
    const double farOff = isAlong ? std::abs(off.y()) : std::abs(off.x()) + std::abs(off.y());
    return std::tuple(!isAlong && !isInColumn, farOff, std::abs(off.x()));
  };
  return *std::ranges::min_element(candidates, {}, distance);
}

}  // namespace thallo::gui
