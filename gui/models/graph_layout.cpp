#include "gui/models/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <QFontMetricsF>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace thallo::gui {
namespace {

constexpr double Padding = 12;
constexpr double SmallestWidth = 56;
constexpr double LargestWidth = 240;
// Between columns, and between nodes of one column, where dot is not at hand.
constexpr double ColumnGap = 72, RowGap = 16;
// What a node shows of its storage, at the right; names are centered.
constexpr double StoreWidth = 14;
constexpr double MergedCrossings = 14;  // crossings that close by count as one

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

// "e,x,y x,y x,y ...": the arrow's end first, which becomes the last point.
std::vector<QPointF> readSpline(const QString& text, double height) {
  std::vector<QPointF> points;
  std::optional<QPointF> end;
  for (const QString& part : text.split(' ', Qt::SkipEmptyParts)) {
    if (part.startsWith("e,"))
      end = readPoint(part.mid(2), height);
    else if (!part.startsWith("s,"))
      points.push_back(readPoint(part, height));
  }
  if (end && points.size() >= 4) points.insert(points.end(), {points.back(), *end, *end});
  return points;
}

std::vector<QPointF> straightSpline(QPointF from, QPointF to) {
  const double reach = std::max(24.0, (to.x() - from.x()) / 2);
  return {from, from + QPointF(reach, 0), to - QPointF(reach, 0), to};
}

QPointF bezierAt(const QPointF* p, double t) {
  const double s = 1 - t;
  return s * s * s * p[0] + 3 * s * s * t * p[1] + 3 * s * t * t * p[2] + t * t * t * p[3];
}

// The point of the spline whose x is nearest to `x`, away from its ends.
QPointF crossingNear(const std::vector<QPointF>& spline, double x) {
  QPointF best = spline.front();
  double nearest = INFINITY;
  const std::size_t pieces = (spline.size() - 1) / 3;
  constexpr int Samples = 16;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    for (int k = 0; k <= Samples; ++k) {
      const double along = (static_cast<double>(piece) + k / double{Samples}) / double(pieces);
      if (along < 0.15 || along > 0.85) continue;
      const QPointF point = bezierAt(&spline[3 * piece], k / double{Samples});
      if (std::abs(point.x() - x) < nearest) {
        nearest = std::abs(point.x() - x);
        best = point;
      }
    }
  }
  return best;
}

void includeBounds(GraphSnapshot& graph) {
  graph.bounds = {};
  for (const GraphNode& node : graph.nodes) graph.bounds |= node.box;
  for (const GraphCluster& cluster : graph.clusters) graph.bounds |= cluster.box;
}

}  // namespace

QSizeF nodeSize(const GraphNode& node) {
  QFont bold = QGuiApplication::font();
  const QFontMetricsF metrics(bold);
  bold.setWeight(QFont::DemiBold);
  const QString below = node.domains + (node.domains.isEmpty() ? "" : "  ") + node.figure;
  double width =
      std::max(QFontMetricsF(bold).horizontalAdvance(node.name), metrics.horizontalAdvance(below));
  // Room for the mark of what can be expanded.
  if (node.canExpand) width += metrics.height();
  if (node.canStore()) width += 2 * StoreWidth;
  const bool isSmall = node.kind == DagKind::Expression || node.kind == DagKind::Rest;
  const double lines = isSmall || below.trimmed().isEmpty() ? 1 : 2;
  return {std::clamp(width + 2 * Padding, isSmall ? 24 : SmallestWidth, LargestWidth),
          lines * metrics.height() + (isSmall ? 6 : 14)};
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

  // Position in graph.nodes by dot's own number.
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
    const auto edge = edges.find({from->second, to->second});
    if (edge != edges.end())
      edge->second->spline = readSpline(object.value("pos").toString(), height);
  }
  for (GraphEdge& edge : graph.edges) {
    if (edge.spline.size() >= 4) continue;
    const QRectF& from = graph.nodes[edge.from].box;
    const QRectF& to = graph.nodes[edge.to].box;
    edge.spline = straightSpline({from.right(), from.center().y()}, {to.left(), to.center().y()});
  }
  includeBounds(graph);
  return {};
}

void applyRankLayout(GraphSnapshot& graph) {
  std::vector<std::size_t> ranks(graph.nodes.size(), 0);
  // Nodes come after those that they read, and edges are sorted by what is read.
  for (const GraphEdge& edge : graph.edges)
    ranks[edge.to] = std::max(ranks[edge.to], ranks[edge.from] + 1);
  std::vector<double> wanted(graph.nodes.size(), 0);
  double x = 0;
  const std::size_t numRanks = ranks.empty() ? 0 : *std::ranges::max_element(ranks) + 1;
  for (std::size_t rank = 0; rank < numRanks; ++rank) {
    std::vector<std::size_t> column;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (ranks[i] == rank) column.push_back(i);
    // Where the nodes lie on average that it reads.
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
    const QRectF& from = graph.nodes[edge.from].box;
    const QRectF& to = graph.nodes[edge.to].box;
    edge.spline = straightSpline({from.right(), from.center().y()}, {to.left(), to.center().y()});
  }
  graph.clusters.clear();
  includeBounds(graph);
}

void traceCut(GraphSnapshot& graph) {
  graph.cut.clear();
  std::vector<double> middles;
  for (const GraphEdge& edge : graph.edges)
    if (edge.isCut) middles.push_back((edge.spline.front().x() + edge.spline.back().x()) / 2);
  if (middles.empty()) return;
  std::ranges::nth_element(middles,
                           middles.begin() + static_cast<std::ptrdiff_t>(middles.size() / 2));
  const double middle = middles[middles.size() / 2];
  std::vector<QPointF> crossings;
  for (const GraphEdge& edge : graph.edges)
    if (edge.isCut) crossings.push_back(crossingNear(edge.spline, middle));
  std::ranges::sort(crossings, {}, &QPointF::y);
  const double top = graph.bounds.top() - 24, bottom = graph.bounds.bottom() + 24;
  graph.cut.push_back({crossings.front().x(), top});
  for (std::size_t i = 0; i < crossings.size();) {
    QPointF sum;
    std::size_t count = 0;
    const double y = crossings[i].y();
    for (; i < crossings.size() && crossings[i].y() - y < MergedCrossings; ++i, ++count)
      sum += crossings[i];
    graph.cut.push_back(sum / static_cast<double>(count));
  }
  graph.cut.push_back({crossings.back().x(), bottom});
}

}  // namespace thallo::gui
