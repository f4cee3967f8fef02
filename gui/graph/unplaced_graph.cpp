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

UnplacedGraph unplacedGraph(const DagView& view) {
  UnplacedGraph result;
  for (const DagNode& node : view.nodes) result.graph.nodes.push_back(nodeOf(node));
  for (const DagEdge& edge : view.edges)
    result.graph.edges.push_back({edge.from, edge.to, edge.is_cut, toQt(edge.label), {}});
  // dot has 72 points per inch, and a point is a pixel here.
  result.dotText = QByteArray::fromStdString(to_dot(view, [](const DagNode& node) {
    const QSizeF size = nodeSize(nodeOf(node));
    return DagNodeSize{size.width() / 72, size.height() / 72};
  }));
  return result;
}

}  // namespace thallo::gui
