#include "gui/graph/unplaced_graph.h"

#include <string_view>

#include "core/explore/dag/dot.h"
#include "core/linear/linear_solver.h"
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
                   .flops = node.flops,
                   .bytes = node.bytes,
                   .siteName = node.site ? toQt(node.site->name) : QString(),
                   .storesValue = node.stores_value,
                   .storesGradient = node.stores_gradient,
                   .isFar = node.is_far(),
                   .frequency = toQt(to_string(node.frequency)),
                   .canExpand = node.can_expand,
                   .isExpanded = node.is_expanded,
                   .cluster = toQt(node.cluster)};
  if (result.isStored() && node.bytes)
    result.figure = bytesText(*node.bytes);
  else if (node.flops && node.kind != DagKind::Expression)
    result.figure = quantityText(*node.flops, "flop");
  return result;
}

// A direct solver makes no linear iterations: once a nonlinear iteration, it computes the matrix
// whose product with p each of them would compute.
void computeOnce(DagView& view) {
  constexpr std::string_view Matrix = "JtJ", ItsProduct = "JtJp";
  for (DagNode& node : view.nodes) {
    if (!node.is_far()) continue;
    node.frequency = Frequency::NonlinearIteration;
    const bool isProduct = node.kind == DagKind::Product && node.name.ends_with(ItsProduct);
    if (isProduct) node.name.resize(node.name.size() - ItsProduct.size() + Matrix.size());
  }
  for (DagEdge& edge : view.edges) edge.is_cut = false;
}

// Makes the graph of a view; the hash of its schedule is not set. `linearIterations` is how many a
// nonlinear iteration has.
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
                                  .numReads = reads});
  }
  // dot has 72 points per inch, and a point is a pixel here.
  result.dotText = QByteArray::fromStdString(to_dot(view, [](const DagNode& node) {
    const QSizeF size = nodeSize(nodeOf(node));
    return DagNodeSize{size.width() / 72, size.height() / 72};
  }));
  return result;
}

}  // namespace

Expected<UnplacedGraph> graphOf(OpenProblem& problem, const Schedule& schedule,
                                const QStringList& expanded) {
  const auto plan = problem.plan(schedule);
  if (!plan) return fail(plan.error());
  const DagSizes sizes{problem.explored().instance.binding, problem.precision(),
                       problem.pricer().estimator()};
  DagViewOptions options{.sizes = &sizes};
  auto view = problem.dag().view(*plan, options);
  if (!view) return fail(view.error());
  // After a split or merge a part has another name, and so it is folded again.
  for (const DagNode& node : view->nodes)
    if (node.can_expand && expanded.contains(toQt(node.id))) options.expanded.push_back(node.id);
  if (!options.expanded.empty()) view = problem.dag().view(*plan, options);
  if (!view) return fail(view.error());
  if (problem.explored().program.linear_solver->is_direct()) computeOnce(*view);
  UnplacedGraph result = unplacedGraph(*view, problem.pricer().options().counts.linear_iterations);
  result.graph.scheduleHash = problem.hashOf(schedule);
  return result;
}

}  // namespace thallo::gui
