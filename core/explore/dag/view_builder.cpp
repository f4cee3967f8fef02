#include "core/explore/dag/view_builder.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>

#include "core/base/error.h"

namespace thallo {

DagNode& DagViewBuilder::add(DagNode node) {
  const std::string id = node.id;
  const auto [added, is_new] = nodes_.emplace(id, std::move(node));
  THALLO_ASSERT(is_new, "two nodes are called {}", id);
  ids_.push_back(id);
  return added->second;
}

void DagViewBuilder::connect(const std::string& from, const std::string& to, bool is_cut,
                             const std::string& label) {
  Edge& edge = edges_[{from, to}];
  edge.is_cut = edge.is_cut || is_cut;
  if (!label.empty()) edge.labels.insert(label);
}

// Boost's topological order is reversed. Vertices are numbered in reverse too, so that nodes that
// do not depend on each other stay in the order in which they were added.
std::vector<std::string> DagViewBuilder::ordered_ids() const {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(ids_.size());
  std::map<std::string_view, std::size_t> vertices;
  for (std::size_t i = 0; i < ids_.size(); ++i) vertices[ids_[i]] = ids_.size() - 1 - i;
  for (const auto& [ends, edge] : edges_)
    add_edge(vertices.at(ends.first), vertices.at(ends.second), graph);
  std::vector<std::size_t> backwards;
  boost::topological_sort(graph, std::back_inserter(backwards));
  std::vector<std::string> ordered;
  for (auto vertex = backwards.rbegin(); vertex != backwards.rend(); ++vertex)
    ordered.push_back(ids_[ids_.size() - 1 - *vertex]);
  return ordered;
}

DagView DagViewBuilder::finish(std::string name) && {
  DagView view{.name = std::move(name)};
  std::map<std::string, std::size_t> places;
  for (const std::string& id : ordered_ids()) {
    places[id] = view.nodes.size();
    view.nodes.push_back(std::move(nodes_.at(id)));
  }
  for (const auto& [ends, edge] : edges_) {
    view.edges.push_back({places.at(ends.first), places.at(ends.second), edge.is_cut,
                          fmt::format("{}", fmt::join(edge.labels, ", "))});
  }
  std::ranges::sort(view.edges, {},
                    [](const DagEdge& edge) { return std::tuple(edge.from, edge.to); });
  return view;
}

}  // namespace thallo
