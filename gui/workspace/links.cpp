#include "gui/workspace/links.h"

#include <algorithm>

namespace thallo::gui {
namespace {

// The part that a node belongs to: "fit" for "part:fit" and "product:fit.JtJp". Empty if none.
QString partOfNode(const GraphNode& node) {
  if (node.kind == DagKind::Part) return node.id.section(':', 1);
  if (node.kind == DagKind::Product)
    return node.id.section(':', 1).section('.', 0, -2);  // empty for products of all parts
  return node.cluster.startsWith(QStringLiteral("part:")) ? node.cluster.section(':', 1)
                                                          : QString();
}

bool haveCommon(const std::set<int>& lines, const std::vector<int>& of) {
  return std::ranges::any_of(of, [&lines](int line) { return lines.contains(line); });
}

void addNode(const GraphNode& node, LinkedParts& linked) {
  linked.nodes.insert(node.id);
  if (!node.siteName.isEmpty()) linked.sites.insert(node.siteName);
  if (const QString part = partOfNode(node); !part.isEmpty()) linked.parts.insert(part);
}

// Adds what comes from the lines that are linked.
void addOfLines(const GraphSnapshot& graph, const KernelSnapshot* kernels, LinkedParts& linked) {
  for (const GraphNode& node : graph.nodes)
    if (haveCommon(linked.lines, node.lines)) addNode(node, linked);
  if (kernels == nullptr) return;
  linked.parts.clear();  // kernels say it more exactly
  for (const KernelRow& row : kernels->rows)
    if (std::ranges::any_of(row.linesOf, [&](const auto& of) { return linked.hasLine(of); }))
      linked.steps.insert(row.label());
}

void addOfNode(const GraphNode& node, const GraphSnapshot& graph, const KernelSnapshot* kernels,
               LinkedParts& linked) {
  linked.lines.insert(node.lines.begin(), node.lines.end());
  const bool hasOwnSteps = node.kind == DagKind::Part || node.kind == DagKind::Product;
  if (!hasOwnSteps && kernels != nullptr && !linked.lines.empty()) {
    LinkedParts all = linked;
    addOfLines(graph, kernels, all);
    linked.steps = std::move(all.steps);
  }
  addNode(node, linked);
}

void addOfStep(const QString& label, const GraphSnapshot& graph, const KernelSnapshot* kernels,
               LinkedParts& linked) {
  linked.steps.insert(label);
  if (const KernelRow* row = kernels == nullptr ? nullptr : kernels->find(label))
    for (const std::vector<int>& of : row->linesOf) linked.lines.insert(of.begin(), of.end());
  const QString part = partOf(label);
  for (const GraphNode& node : graph.nodes) {
    const bool isPart = node.kind == DagKind::Part;
    const bool isShared = node.kind == DagKind::Intermediate || node.kind == DagKind::Sum;
    const bool belongs = isPart ? partOfNode(node) == part && !part.isEmpty()
                                : isShared && haveCommon(linked.lines, node.lines);
    if (!belongs) continue;
    linked.nodes.insert(node.id);
    linked.sites.insert(node.siteName);
    if (isPart && kernels == nullptr) linked.lines.insert(node.lines.begin(), node.lines.end());
  }
}

}  // namespace

bool LinkedParts::hasStep(const QString& label) const {
  const QString part = partOf(label);
  return steps.contains(label) || (!part.isEmpty() && parts.contains(part));
}

bool LinkedParts::hasLine(const std::vector<int>& of) const { return haveCommon(lines, of); }

LinkedParts linkedParts(const Selection& selection, const GraphSnapshot& graph,
                        const KernelSnapshot* kernels) {
  if (kernels != nullptr && kernels->scheduleHash != graph.scheduleHash) kernels = nullptr;
  LinkedParts linked;
  switch (selection.kind) {
    case Selection::Kind::None:
    case Selection::Kind::Candidate: break;
    case Selection::Kind::Line:
      linked.lines.insert(selection.id.toInt());
      addOfLines(graph, kernels, linked);
      break;
    case Selection::Kind::Node:
    case Selection::Kind::Site:
      for (const GraphNode& node : graph.nodes) {
        const bool isMeant = selection.kind == Selection::Kind::Node
                                 ? node.id == selection.id
                                 : node.siteName == selection.id.section('@', 1);
        if (isMeant) addOfNode(node, graph, kernels, linked);
      }
      break;
    case Selection::Kind::Step: addOfStep(selection.id, graph, kernels, linked); break;
  }
  return linked;
}

QString kernelToShow(const Selection& selection, const LinkedParts& linked,
                     const KernelSnapshot& kernels, const QString& shown) {
  if (selection.kind == Selection::Kind::Step && kernels.find(selection.id) != nullptr)
    return selection.id;
  const auto belongs = [&](const QString& label) { return linked.hasStep(label); };
  if (kernels.find(shown) != nullptr && belongs(shown)) return shown;
  const auto found = std::ranges::find_if(kernels.rows, belongs, &KernelRow::label);
  if (found != kernels.rows.end()) return found->label();
  return kernels.rows.empty() ? QString() : kernels.rows.front().label();
}

LinkModel::LinkModel(SelectionModel& selection, GraphModel& graph, KernelModel& kernels)
    : m_selection(selection), m_graph(graph), m_kernels(kernels) {
  connect(&selection, &SelectionModel::changed, this, &LinkModel::refresh);
  connect(&graph, &GraphModel::graphChanged, this, &LinkModel::refresh);
  connect(&kernels, &KernelModel::kernelsChanged, this, &LinkModel::refresh);
}

void LinkModel::refresh() {
  const auto& graph = m_graph.graph().value;
  LinkedParts linked =
      graph ? linkedParts(m_selection.current(), *graph, m_kernels.kernels().value.get())
            : LinkedParts();
  if (linked == m_linked) return;
  m_linked = std::move(linked);
  Q_EMIT changed();
}

}  // namespace thallo::gui
