#include "core/explore/dag/view.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/reverse_graph.hpp>

namespace thallo {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

Graph graph_of(const DagView& view) {
  Graph graph(view.nodes.size());
  for (const DagEdge& edge : view.edges) add_edge(edge.from, edge.to, graph);
  return graph;
}

template <class G>
std::vector<std::size_t> reachable(const G& graph, std::size_t start) {
  std::vector<boost::default_color_type> colors(num_vertices(graph));
  boost::breadth_first_search(graph, start,
                              boost::color_map(boost::make_iterator_property_map(
                                  colors.begin(), get(boost::vertex_index, graph))));
  std::vector<std::size_t> found;
  for (std::size_t node = 0; node < colors.size(); ++node) {
    if (node != start && colors[node] != boost::white_color) found.push_back(node);
  }
  return found;
}

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

std::string_view to_string(DagKind kind) {
  constexpr std::array Names = {
#define THALLO_DAG_KIND_TEXT(name, text) std::string_view(text),
      THALLO_FOR_EACH_DAG_KIND(THALLO_DAG_KIND_TEXT)
#undef THALLO_DAG_KIND_TEXT
  };
  return Names[static_cast<std::size_t>(kind)];
}

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

std::vector<std::size_t> nodes_behind(const DagView& view, std::size_t node) {
  return reachable(boost::make_reverse_graph(graph_of(view)), node);
}

std::vector<std::size_t> readers_after(const DagView& view, std::size_t node) {
  return reachable(graph_of(view), node);
}

std::vector<std::size_t> needed_only_by(const DagView& view, std::size_t node) {
  const auto sink = std::ranges::find(view.nodes, "product:JtJp", &DagNode::id);
  if (sink == view.nodes.end()) return {};
  const Graph graph = graph_of(view);
  const auto none = boost::graph_traits<Graph>::null_vertex();
  std::vector<Vertex> dominators(view.nodes.size(), none);
  const auto backwards = boost::make_reverse_graph(graph);
  boost::lengauer_tarjan_dominator_tree(
      backwards, static_cast<Vertex>(sink - view.nodes.begin()),
      boost::make_iterator_property_map(dominators.begin(), get(boost::vertex_index, backwards)));
  std::vector<std::size_t> found;
  for (std::size_t other = 0; other < view.nodes.size(); ++other) {
    Vertex dominator = dominators[other];
    while (dominator != none && dominator != node) dominator = dominators[dominator];
    if (dominator == node) found.push_back(other);
  }
  return found;
}

}  // namespace thallo
