#include "gui/graph/graph_steps.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace thallo::gui {
namespace {

QPointF middleOf(const GraphSnapshot& graph, std::size_t node) {
  return graph.nodes[node].box.center();
}

std::vector<std::size_t> neighbors(const GraphSnapshot& graph, std::size_t from, bool areOperands) {
  std::vector<std::size_t> result;
  for (const GraphEdge& edge : graph.edges) {
    const std::size_t here = areOperands ? edge.to : edge.from;
    const std::size_t there = areOperands ? edge.from : edge.to;
    if (here == from && there != from) result.push_back(there);
  }
  return result;
}

std::vector<std::size_t> beyond(const GraphSnapshot& graph, std::size_t from, bool isUp) {
  std::vector<std::size_t> result;
  const double y = middleOf(graph, from).y();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const double other = middleOf(graph, i).y();
    if (isUp ? other < y : other > y) result.push_back(i);
  }
  return result;
}

}  // namespace

std::optional<std::size_t> nodeAfter(const GraphSnapshot& graph, std::size_t from, GraphStep step) {
  const bool isAlong = step == GraphStep::ToOperand || step == GraphStep::ToUser;
  const std::vector<std::size_t> candidates =
      isAlong ? neighbors(graph, from, step == GraphStep::ToOperand)
              : beyond(graph, from, step == GraphStep::Up);
  if (candidates.empty()) return std::nullopt;
  const QRectF& box = graph.nodes[from].box;
  const auto distance = [&](std::size_t node) {
    const QPointF off = middleOf(graph, node) - box.center();
    const QRectF& other = graph.nodes[node].box;
    const bool isInColumn = other.left() < box.right() && box.left() < other.right();
    const double farOff = isAlong ? std::abs(off.y()) : std::abs(off.x()) + std::abs(off.y());
    return std::tuple(!isAlong && !isInColumn, farOff, std::abs(off.x()));
  };
  return *std::ranges::min_element(candidates, {}, distance);
}

}  // namespace thallo::gui
