#include "core/explore/dag/view.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace thallo {
namespace {

std::string line_of(const DagNode& node) {
  std::string line = fmt::format("{} {}", to_string(node.kind), node.id);
  const auto add = [&line](std::string_view text) { line += fmt::format(", {}", text); };
  if (node.is_far()) add("far");
  if (node.stores_value) add("value stored");
  if (node.stores_gradient) add("gradient stored");
  if (!node.cluster.empty()) add("in " + node.cluster);
  return line + "\n";
}

}  // namespace

const DagNode* DagView::find(std::string_view id) const {
  const auto found = std::ranges::find(nodes, id, &DagNode::id);
  return found == nodes.end() ? nullptr : &*found;
}

std::string to_string(const DagView& view) {
  std::string text;
  for (const DagNode& node : view.nodes) text += line_of(node);
  for (const DagEdge& edge : view.edges) {
    fmt::format_to(std::back_inserter(text), "{} {} {}{}{}\n", view.nodes[edge.from].id,
                   edge.is_cut ? "=>" : "->", view.nodes[edge.to].id,
                   edge.label.empty() ? "" : " at ", edge.label);
  }
  return text;
}

}  // namespace thallo
