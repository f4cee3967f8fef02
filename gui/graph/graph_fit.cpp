#include "gui/graph/graph_fit.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <QFontInfo>
#include <QGuiApplication>

#include "gui/graph/graph_layout.h"

namespace thallo::gui {
namespace {

constexpr std::size_t MostNodes = 100;
constexpr std::size_t MostLines = 4;
// What a line more costs, as many edges that lead to another line cost.
constexpr double LineCost = 2;
constexpr double LeastGap = 26, WidestGap = 130;
constexpr double LineGap = 34, WidestLineGap = 90;
constexpr double BorderGap = 44;    // from one side of the cut to the other
constexpr double EdgeMargin = 8;    // of edges beyond the nodes
constexpr double WordsWidth = 190;  // of those above each side
constexpr double LargestStretch = 2.2;
// Text is somewhat larger than necessary if that takes no further line.
constexpr double GoodText = 10.5;

// Nodes that dot has placed below each other.
struct Column {
  double left = 0, right = 0, top = 0, bottom = 0;
  bool isFar = false;
  double edgesBeyond = 0;   // from it or a column before it to one after it, on its side
  bool endsCluster = true;  // true if no cluster reaches from it to the next column
  std::vector<std::size_t> nodes;

  double width() const { return right - left; }
};

// Columns that are beside each other on the page, from `first` to before `last`.
struct Line {
  std::size_t first = 0, last = 0;
  double width = 0;  // with the smallest gaps
  double top = 0, bottom = 0;

  double height() const { return bottom - top; }
  double gaps() const { return static_cast<double>(last - first) - 1; }
};

// The lines of one side.
struct Folding {
  std::vector<Line> lines;
  double width = 0, height = 0;  // with the smallest gaps
  double cost = 0;               // the less, the easier it is to follow the edges
};

// Fields may have columns of their own, right of what else stands in their columns: then they can
// begin the line in which they are read.
std::vector<Column> foldableColumns(const GraphSnapshot& graph, bool separatesFields) {
  std::vector<std::size_t> order(graph.nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto middle = [&](std::size_t node) { return graph.nodes[node].box.center().x(); };
  const auto isApart = [&](std::size_t node) {
    const DagKind kind = graph.nodes[node].kind;
    return separatesFields &&
           (kind == DagKind::Unknown || kind == DagKind::Array || kind == DagKind::Param);
  };
  std::ranges::stable_sort(order, {}, [&](std::size_t node) {
    return std::tuple(graph.nodes[node].isFar, std::round(middle(node)), isApart(node));
  });
  std::vector<Column> columns;
  for (const std::size_t node : order) {
    const GraphNode& its = graph.nodes[node];
    const bool isNew = columns.empty() || columns.back().isFar != its.isFar ||
                       std::abs(middle(columns.back().nodes.front()) - middle(node)) > 1 ||
                       isApart(columns.back().nodes.front()) != isApart(node);
    if (isNew)
      columns.push_back({.left = its.box.left(),
                         .right = its.box.right(),
                         .top = its.box.top(),
                         .bottom = its.box.bottom(),
                         .isFar = its.isFar});
    Column& column = columns.back();
    column.nodes.push_back(node);
    column.left = std::min(column.left, its.box.left());
    column.right = std::max(column.right, its.box.right());
    column.top = std::min(column.top, its.box.top());
    column.bottom = std::max(column.bottom, its.box.bottom());
  }
  std::vector<std::size_t> columnOf(graph.nodes.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (const std::size_t node : columns[i].nodes) columnOf[node] = i;
  for (const GraphEdge& edge : graph.edges) {
    if (graph.nodes[edge.from].isFar != graph.nodes[edge.to].isFar) continue;
    for (std::size_t i = columnOf[edge.from]; i < columnOf[edge.to]; ++i) ++columns[i].edgesBeyond;
  }
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
    columns[i].endsCluster = std::ranges::none_of(graph.clusters, [&](const GraphCluster& its) {
      return its.box.left() < columns[i].right && its.box.right() > columns[i + 1].left;
    });
  }
  return columns;
}

double gapAfter(const std::vector<Column>& columns, std::size_t column) {
  return columns[column].isFar == columns[column + 1].isFar ? LeastGap : BorderGap;
}

Line lineOf(const std::vector<Column>& columns, std::size_t first, std::size_t last) {
  Line line{.first = first, .last = last, .top = columns[first].top, .bottom = columns[first].top};
  for (std::size_t i = first; i < last; ++i) {
    line.width += columns[i].width() + (i == first ? 0 : gapAfter(columns, i - 1));
    line.top = std::min(line.top, columns[i].top);
    line.bottom = std::max(line.bottom, columns[i].bottom);
  }
  return line;
}

// Adds all ways to fold the columns from `first` to before `last`, after the lines of `begun`.
void addFoldings(const std::vector<Column>& columns, std::size_t first, std::size_t last,
                 const Folding& begun, std::vector<Folding>& result) {
  if (first == last) return result.push_back(begun);
  if (begun.lines.size() == MostLines) return;
  for (std::size_t end = first + 1; end <= last; ++end) {
    if (end != last && !columns[end - 1].endsCluster) continue;
    Folding folding = begun;
    const Line line = lineOf(columns, first, end);
    folding.lines.push_back(line);
    folding.width = std::max(folding.width, line.width);
    folding.height += line.height() + (begun.lines.empty() ? 0 : LineGap);
    if (end != last) folding.cost += LineCost + columns[end - 1].edgesBeyond;
    addFoldings(columns, end, last, folding, result);
  }
}

std::vector<Folding> allFoldings(const std::vector<Column>& columns, std::size_t first,
                                 std::size_t last) {
  std::vector<Folding> result;
  addFoldings(columns, first, last, {}, result);
  return result;
}

// Folds of the two sides of the cut, or of both together as the only one.
using Foldings = std::vector<Folding>;

double widthOf(const Foldings& sides) {
  double width = 0;
  for (const Folding& side : sides) width += side.width + (width > 0 ? BorderGap : 0);
  return width;
}

double heightOf(const Foldings& sides) {
  double height = 0;
  for (const Folding& side : sides) height = std::max(height, side.height);
  return height;
}

double scaleOf(double width, double height, const QSizeF& page) {
  return std::min(page.width() / (width + 2 * SideMargin),
                  page.height() / (height + TopMargin + SideMargin));
}

// A way to fold a graph.
struct FoldChoice {
  std::vector<Column> columns;
  Foldings sides;
  double scale = 0, cost = 0;
};

// Of the foldings with which text is good to read, chooses the one of the least cost; if there is
// none, the one with the largest text.
FoldChoice chooseFoldings(std::vector<Column> columns, const QSizeF& page) {
  const auto firstFar = std::ranges::find(columns, true, &Column::isFar) - columns.begin();
  const auto numNear = static_cast<std::size_t>(firstFar);
  const double good = readableScale() * GoodText / ReadableText;
  const Line all = lineOf(columns, 0, columns.size());
  FoldChoice best = {.sides = {{{all}, all.width, all.height()}},
                     .scale = std::min(good, scaleOf(all.width, all.height(), page))};
  const std::vector<Folding> fars = allFoldings(columns, numNear, columns.size());
  for (const Folding& near : allFoldings(columns, 0, numNear)) {
    for (const Folding& far : fars) {
      Foldings sides;
      for (const Folding& side : {near, far}) {
        if (side.lines.empty()) continue;
        sides.push_back(side);
        if (numNear > 0 && !fars.front().lines.empty())
          sides.back().width = std::max(side.width, WordsWidth - BorderGap / 2);
      }
      const double scale = std::min(good, scaleOf(widthOf(sides), heightOf(sides), page));
      const double cost = near.cost + far.cost;
      if (std::pair(scale, -cost) > std::pair(best.scale, -best.cost))
        best = {.sides = std::move(sides), .scale = scale, .cost = cost};
    }
  }
  best.columns = std::move(columns);
  return best;
}

FoldChoice chooseFoldings(const GraphSnapshot& graph, const QSizeF& page) {
  FoldChoice together = chooseFoldings(foldableColumns(graph, false), page);
  if (!graph.clusters.empty()) return together;  // frames hold their columns together
  FoldChoice apart = chooseFoldings(foldableColumns(graph, true), page);
  const auto rank = [](const FoldChoice& choice) { return std::pair(choice.scale, -choice.cost); };
  return rank(apart) > rank(together) ? apart : together;
}

// Moves what dot has placed to where it is on the page.
class Placement {
 public:
  Placement(GraphSnapshot& graph, const std::vector<Column>& columns)
      : m_graph(graph),
        m_before(graph),
        m_columns(columns),
        m_lefts(columns.size()),
        m_lines(graph.nodes.size()) {}

  void place(const Foldings& sides, const QSizeF& room);

 private:
  void placeSide(const Folding& side, double left, double width, const QSizeF& room);
  void placeLine(const Line& line, double left, double width, double stretch, double top);
  // Returns where an x of the line was moved to.
  double mapX(const Line& line, double x) const;
  bool isWithin(const Line& line, const std::vector<QPointF>& spline) const;
  void moveEdges();
  void moveSpline(const GraphEdge& before, GraphEdge& edge) const;

  struct Placed {
    Line line;
    double stretch = 1, top = 0;

    double mapY(double y) const { return top + (y - line.top) * stretch; }
  };

  GraphSnapshot& m_graph;
  const GraphSnapshot m_before;
  const std::vector<Column>& m_columns;
  std::vector<double> m_lefts;       // of the columns, on the page
  std::vector<std::size_t> m_lines;  // the line of each node
  std::vector<Placed> m_placed;
  double m_height = 0;  // of the room for nodes
};

void Placement::place(const Foldings& sides, const QSizeF& room) {
  m_height = room.height();
  double gaps = static_cast<double>(sides.size()) - 1;
  std::vector<double> most;  // gaps in a line of each side
  for (const Folding& side : sides) {
    most.push_back(std::ranges::max(side.lines, {}, &Line::gaps).gaps());
    gaps += most.back();
  }
  const double slack = std::max(0.0, room.width() - widthOf(sides));
  const double more = gaps == 0 ? 0 : std::min(WidestGap - LeastGap, slack / gaps);
  double left = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const double width = sides[i].width + more * most[i];
    placeSide(sides[i], left, width, room);
    left += width + BorderGap + more;
  }
  for (GraphCluster& cluster : m_graph.clusters) {
    for (const Placed& its : m_placed) {
      const QRectF box = cluster.box;
      if (box.left() > m_columns[its.line.last - 1].right ||
          box.right() < m_columns[its.line.first].left)
        continue;
      cluster.box = QRectF(QPointF(mapX(its.line, box.left()), its.mapY(box.top())),
                           QPointF(mapX(its.line, box.right()), its.mapY(box.bottom())));
      break;
    }
  }
  moveEdges();
}

void Placement::placeSide(const Folding& side, double left, double width, const QSizeF& room) {
  const double slack = std::max(0.0, room.height() - side.height);
  double inside = 0;  // what can be stretched
  for (const Line& line : side.lines) inside += line.height();
  // Frames of expanded nodes keep their distance from what is in them.
  const double stretch =
      m_graph.clusters.empty() ? std::min(LargestStretch, 1 + slack * 0.8 / inside) : 1;
  const auto between = static_cast<double>(side.lines.size() - 1);
  double rest = std::max(0.0, slack - inside * (stretch - 1));
  const double gap = between == 0 ? 0 : std::min(WidestLineGap, LineGap + rest / between);
  const double height = inside * stretch + between * gap;
  double top = (room.height() - height) / 2;
  for (const Line& line : side.lines) {
    // The last line ends at the border, which its products are read across.
    const bool isLast = side.lines.size() > 1 && &line == &side.lines.back();
    const double wide = std::min(width, line.width + line.gaps() * (WidestGap - LeastGap));
    placeLine(line, isLast ? left + width - wide : left, wide, stretch, top);
    top += line.height() * stretch + gap;
  }
}

void Placement::placeLine(const Line& line, double left, double width, double stretch, double top) {
  const double more = line.gaps() == 0 ? 0 : (width - line.width) / line.gaps();
  m_placed.push_back({line, stretch, top});
  for (std::size_t i = line.first; i < line.last; ++i) {
    m_lefts[i] = left;
    for (const std::size_t node : m_columns[i].nodes) {
      QRectF& box = m_graph.nodes[node].box;
      const QPointF middle = box.center();
      box.moveCenter({middle.x() - m_columns[i].left + left, m_placed.back().mapY(middle.y())});
      m_lines[node] = m_placed.size() - 1;
    }
    left += m_columns[i].width() + more;
    if (i + 1 < line.last) left += gapAfter(m_columns, i);
  }
}

double Placement::mapX(const Line& line, double x) const {
  double before = 0, after = 0;  // the ends of the gap with x in it, as it was and as it is
  for (std::size_t i = line.first; i < line.last; ++i) {
    const Column& column = m_columns[i];
    const double shift = m_lefts[i] - column.left;
    if (x < column.left) {
      if (i == line.first) return x + shift;
      const double part = (x - before) / (column.left - before);
      return after + part * (m_lefts[i] - after);
    }
    if (x <= column.right || i + 1 == line.last) return x + shift;
    before = column.right;
    after = column.right + shift;
  }
  return x;
}

bool Placement::isWithin(const Line& line, const std::vector<QPointF>& spline) const {
  return std::ranges::all_of(spline, [&](const QPointF& point) {
    return point.x() >= m_columns[line.first].left && point.x() <= m_columns[line.last - 1].right;
  });
}

void Placement::moveEdges() {
  for (std::size_t i = 0; i < m_graph.edges.size(); ++i) {
    const GraphEdge& before = m_before.edges[i];
    GraphEdge& edge = m_graph.edges[i];
    const QRectF &from = m_graph.nodes[edge.from].box, &to = m_graph.nodes[edge.to].box;
    const std::size_t line = m_lines[edge.from];
    if (line == m_lines[edge.to] && isWithin(m_placed[line].line, before.spline))
      moveSpline(before, edge);
    else if (m_graph.nodes[edge.from].isFar == m_graph.nodes[edge.to].isFar &&
             (from.bottom() < to.top() || to.bottom() < from.top()))
      edge.spline = uprightSpline(from, to);
    else
      edge.spline = straightSpline(from, to);
  }
}

// Its ends move with the nodes, which keep their heights; the rest is stretched.
void Placement::moveSpline(const GraphEdge& before, GraphEdge& edge) const {
  const std::vector<QPointF>& spline = before.spline;
  const Placed& placed = m_placed[m_lines[edge.from]];
  const auto shiftOf = [&](std::size_t node) {
    return m_graph.nodes[node].box.center().y() - m_before.nodes[node].box.center().y();
  };
  const std::size_t size = spline.size();
  const bool hasArrow = spline[size - 1] == spline[size - 2];
  for (std::size_t i = 0; i < size; ++i) {
    double y = placed.mapY(spline[i].y());
    if (i < 2) y = spline[i].y() + shiftOf(edge.from);
    if (i + (hasArrow ? 5 : 2) >= size) y = spline[i].y() + shiftOf(edge.to);
    // What is far outside of the nodes would be outside of the page, too.
    y = std::clamp(y, -EdgeMargin, m_height + EdgeMargin);
    edge.spline[i] = {mapX(placed.line, spline[i].x()), y};
  }
}

// Makes the bounds fill the page, so that the words stand at its top.
void fillPage(GraphSnapshot& graph, const QSizeF& page) {
  const QSizeF all = page / scaleToShow(graph, page);
  QRectF area({}, all - QSizeF(2 * SideMargin, TopMargin + SideMargin));
  area.moveCenter(graph.bounds.center());
  graph.bounds |= area;
}

}  // namespace

double readableScale() { return ReadableText / QFontInfo(QGuiApplication::font()).pixelSize(); }

QRectF shownArea(const GraphSnapshot& graph) {
  return graph.bounds.adjusted(-SideMargin, -TopMargin, SideMargin, SideMargin);
}

double scaleToShow(const GraphSnapshot& graph, const QSizeF& page) {
  return std::min(LargestFit, scaleOf(graph.bounds.width(), graph.bounds.height(), page));
}

void fitToPage(GraphSnapshot& graph, const QSizeF& page) {
  const bool isKnown = !graph.nodes.empty() && !page.isEmpty();
  if (isKnown && graph.nodes.size() <= MostNodes) {
    const FoldChoice fold = chooseFoldings(graph, page);
    const double scale =
        std::min(LargestFit, scaleOf(widthOf(fold.sides), heightOf(fold.sides), page));
    const QSizeF room = page / scale - QSizeF(2 * SideMargin, TopMargin + SideMargin);
    Placement(graph, fold.columns).place(fold.sides, room);
  }
  includeBounds(graph);
  traceCut(graph);
  if (graph.cut) {
    // The words above the two sides need some room.
    graph.bounds.setLeft(std::min(graph.bounds.left(), *graph.cut - WordsWidth));
    graph.bounds.setRight(std::max(graph.bounds.right(), *graph.cut + WordsWidth));
  }
  if (isKnown) fillPage(graph, page);
}

}  // namespace thallo::gui
