#include "core/explore/dag/dot.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/quantity_text.h"

namespace thallo {
namespace {

constexpr std::size_t LongestName = 40;  // characters in a drawing

std::string dot_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\l";
    } else {
      result += c;
    }
  }
  return result + '"';
}

struct NodeInk {
  const char* line;
  const char* fill;
  const char* text;  // the color of text on the fill
};

NodeInk ink_of(DagKind kind) {
  switch (kind) {
    case DagKind::Unknown: return {"#E69F00", "#E69F00", "#000000"};
    case DagKind::Array:
    case DagKind::Param: return {"#999999", "#DDDDDD", "#000000"};
    case DagKind::Intermediate:
    case DagKind::Sum: return {"#0072B2", "#0072B2", "#FFFFFF"};
    case DagKind::Part:
    case DagKind::Residual: return {"#009E73", "#009E73", "#FFFFFF"};
    case DagKind::Product: return {"#D55E00", "#D55E00", "#FFFFFF"};
    case DagKind::Expression:
    case DagKind::Rest: return {"#666666", "#FFFFFF", "#000000"};
  }
  THALLO_UNREACHABLE();
}

// Says what the schedule stores of the node, if it has a choice there.
const char* stored_text(const DagNode& node) {
  if (!node.stores_gradient) return node.kind == DagKind::Intermediate ? " value" : "";
  return node.stores_value ? " value, gradient" : " gradient";
}

// Returns the name, with the domains and one number below it.
std::string label_of(const DagNode& node) {
  std::string label = node.name;
  if (label.size() > LongestName) label = label.substr(0, LongestName - 3) + "...";
  std::string below = node.domains;
  const auto add = [&below](const std::string& text) {
    below += (below.empty() ? "" : ", ") + text;
  };
  const bool is_stored = node.stores_value || node.stores_gradient;
  if (is_stored && node.bytes) {
    add(quantity_text(*node.bytes, "B") + stored_text(node));
  } else if (node.flops && node.kind != DagKind::Expression) {
    add(quantity_text(*node.flops, "flop"));
  }
  return below.empty() ? label : label + "\n" + below;
}

std::string node_line(const DagNode& node,
                      const std::function<DagNodeSize(const DagNode&)>& size_of) {
  std::string line = "  " + dot_text(node.id);
  if (size_of) {
    const DagNodeSize size = size_of(node);
    return line + fmt::format(" [label=\"\", fixedsize=true, width={}, height={}];\n", size.width,
                              size.height);
  }
  const NodeInk ink = ink_of(node.kind);
  const bool is_filled = node.stores_value || node.stores_gradient;
  const bool is_round = node.kind == DagKind::Expression;
  std::string label = dot_text(label_of(node));
  // Lines are centered.
  for (auto at = label.find("\\l"); at != std::string::npos; at = label.find("\\l"))
    label[at + 1] = 'n';
  return line + fmt::format(
                    " [label={}, shape={}, style=\"{}{}\", color=\"{}\", fillcolor=\"{}\", "
                    "fontcolor=\"{}\", penwidth=1.5, tooltip={}];\n",
                    label, is_round ? "ellipse" : "box", is_filled ? "filled" : "solid",
                    node.is_far() ? ",dashed" : "", ink.line, ink.fill,
                    is_filled ? ink.text : "#000000", dot_text(node.text));
}

// Returns the text of an invisible node without extent that separates the two sides of the cut: it
// comes after all nodes of the near side and before all nodes of the far side.
std::string cut_lines(const DagView& view) {
  // It is enough to connect near nodes that no near node reads, and far nodes that read no far
  // node.
  std::vector<bool> is_end(view.nodes.size(), true);
  for (const DagEdge& edge : view.edges) {
    if (view.nodes[edge.from].is_far() != view.nodes[edge.to].is_far()) continue;
    is_end[view.nodes[edge.from].is_far() ? edge.to : edge.from] = false;
  }
  const std::string cut = dot_text("the cut");
  std::string text = fmt::format(
      "  {} [label=\"\", fixedsize=true, width=0.01, height=0.01, style=invis];\n", cut);
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    if (!is_end[i]) continue;
    const std::string node = dot_text(view.nodes[i].id);
    const bool is_far = view.nodes[i].is_far();
    text += fmt::format("  {} -> {} [style=invis, weight=0];\n", is_far ? cut : node,
                        is_far ? node : cut);
  }
  return text;
}

std::string edge_line(const DagView& view, const DagEdge& edge) {
  const DagNode& from = view.nodes[edge.from];
  const DagNode& to = view.nodes[edge.to];
  // dot places the first node of an edge to the left of the second one.
  const bool is_backward = from.is_far() && !to.is_far();
  return fmt::format("  {} -> {} [edgetooltip={}{}{}];\n", dot_text((is_backward ? to : from).id),
                     dot_text((is_backward ? from : to).id), dot_text(edge.label),
                     is_backward ? ", dir=back" : "",
                     edge.is_cut ? ", color=\"#000000\", penwidth=2.5" : "");
}

}  // namespace

std::string to_dot(const DagView& view, const std::function<DagNodeSize(const DagNode&)>& size_of) {
  std::string text = fmt::format(
      "digraph {} {{\n"
      "  rankdir=LR;\n"
      "  node [fontname=\"Helvetica\", fontsize=11, margin=\"0.12,0.06\"];\n"
      "  edge [color=\"#BBBBBB\", arrowsize=0.6];\n",
      dot_text(view.name));
  // Programs that draw the nodes themselves also widen gaps themselves.
  if (size_of) text += "  nodesep=0.19;\n";
  std::vector<std::string> clusters;
  for (const DagNode& node : view.nodes) {
    text += node_line(node, size_of);
    if (!node.cluster.empty() && std::ranges::find(clusters, node.cluster) == clusters.end())
      clusters.push_back(node.cluster);
  }
  for (const std::string& cluster : clusters) {
    text += fmt::format("  subgraph {} {{\n    label={}; color=\"#999999\"; style=rounded;\n",
                        dot_text("cluster " + cluster), dot_text(size_of ? "" : cluster));
    for (const DagNode& node : view.nodes) {
      if (node.cluster == cluster) text += "    " + dot_text(node.id) + ";\n";
    }
    text += "  }\n";
  }
  text += cut_lines(view);
  for (const DagEdge& edge : view.edges) text += edge_line(view, edge);
  return text + "}\n";
}

}  // namespace thallo
