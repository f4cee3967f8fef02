#include "gui/graph/unplaced_graph.h"

#include "core/explore/dag/dot.h"
#include "gui/base/text.h"
#include "gui/graph/graph_layout.h"

namespace thallo::gui {
namespace {

GraphNode nodeOf(const DagNode& node) {
  GraphNode result{.id = toQt(node.id),
                   .kind = node.kind,
                   .name = toQt(node.name),
                   .domains = toQt(node.domains),
                   .text = toQt(node.text),
                   .lines = node.lines,
                   .figure = {},
                   .flops = node.flops,
                   .bytes = node.bytes,
                   .siteName = node.site ? toQt(node.site->name) : QString(),
                   .storesValue = node.stores_value,
                   .storesGradient = node.stores_gradient,
                   .isFar = node.is_far(),
                   .frequency = toQt(to_string(node.frequency)),
                   .canExpand = node.can_expand,
                   .isExpanded = node.is_expanded,
                   .cluster = toQt(node.cluster),
                   .box = {}};
  if (result.isStored() && node.bytes)
    result.figure = bytesText(*node.bytes);
  else if (node.flops && node.kind != DagKind::Expression)
    result.figure = quantityText(*node.flops, "flop");
  return result;
}

}  // namespace

UnplacedGraph unplacedGraph(const DagView& view, double linearIterations) {
  UnplacedGraph result;
  for (const DagNode& node : view.nodes) result.graph.nodes.push_back(nodeOf(node));
  for (const DagEdge& edge : view.edges) {
    const DagNode &from = view.nodes[edge.from], &to = view.nodes[edge.to];
    const bool isStored = from.stores_value || from.stores_gradient;
    // What crosses the cut is read in every linear iteration, and so is what they store themselves.
    const bool isOften = edge.is_cut || (from.is_far() && to.is_far());
    const double reads = isOften ? std::max(1.0, linearIterations) : 1;
    result.graph.edges.push_back({.from = edge.from,
                                  .to = edge.to,
                                  .isCut = edge.is_cut,
                                  .label = toQt(edge.label),
                                  .bytes = isStored ? reads * from.bytes.value_or(0) : 0,
                                  .numReads = reads,
                                  .spline = {}});
  }
  // dot has 72 points per inch, and a point is a pixel here.
  result.dotText = QByteArray::fromStdString(to_dot(view, [](const DagNode& node) {
    const QSizeF size = nodeSize(nodeOf(node));
    return DagNodeSize{size.width() / 72, size.height() / 72};
  }));
  return result;
}

}  // namespace thallo::gui
