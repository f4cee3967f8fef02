#include "core/linear/aggregates.h"

#include <algorithm>

namespace thallo {
namespace {

constexpr std::int32_t Free = -1;

std::size_t position(std::int32_t i) { return static_cast<std::size_t>(i); }

std::span<const std::int32_t> neighbors_of(const ElementGraph& graph, std::size_t element) {
  const std::size_t begin = position(graph.offsets[element]);
  return std::span(graph.neighbors).subspan(begin, position(graph.offsets[element + 1]) - begin);
}

}  // namespace

ElementGraph element_graph(std::span<const std::int32_t> offsets,
                           std::span<const std::int32_t> columns,
                           std::span<const std::int32_t> element_of,
                           std::span<const std::int32_t> kind_of) {
  // The rows of each element, which need not be adjacent.
  std::vector<std::int32_t> first(kind_of.size() + 1), rows(element_of.size());
  for (const std::int32_t element : element_of) ++first[position(element) + 1];
  for (std::size_t e = 0; e < kind_of.size(); ++e) first[e + 1] += first[e];
  std::vector<std::int32_t> next(first.begin(), first.end() - 1);
  for (std::size_t row = 0; row < element_of.size(); ++row)
    rows[position(next[position(element_of[row])]++)] = static_cast<std::int32_t>(row);

  ElementGraph graph;
  graph.offsets.push_back(0);
  std::vector<std::int32_t> met;
  for (std::size_t e = 0; e < kind_of.size(); ++e) {
    met.clear();
    for (std::size_t r = position(first[e]); r < position(first[e + 1]); ++r) {
      const std::size_t row = position(rows[r]);
      for (std::size_t k = position(offsets[row]); k < position(offsets[row + 1]); ++k) {
        const std::int32_t other = element_of[position(columns[k])];
        if (position(other) != e && kind_of[position(other)] == kind_of[e]) met.push_back(other);
      }
    }
    std::ranges::sort(met);
    const auto repeated = std::ranges::unique(met);
    graph.neighbors.insert(graph.neighbors.end(), met.begin(), repeated.begin());
    graph.offsets.push_back(static_cast<std::int32_t>(graph.neighbors.size()));
  }
  return graph;
}

Aggregates aggregate(const ElementGraph& graph) {
  const std::size_t num_elements = graph.offsets.size() - 1;
  Aggregates result;
  result.of.assign(num_elements, Free);
  const auto is_free = [&](std::int32_t e) { return result.of[position(e)] == Free; };
  const auto found = [&](std::size_t e) {
    result.of[e] = result.count;
    for (const std::int32_t other : neighbors_of(graph, e))
      if (is_free(other)) result.of[position(other)] = result.count;
    ++result.count;
  };
  for (std::size_t e = 0; e < num_elements; ++e)
    if (result.of[e] == Free && std::ranges::all_of(neighbors_of(graph, e), is_free)) found(e);
  // What joins now is no neighbor that others join.
  const std::vector<std::int32_t> taken = result.of;
  for (std::size_t e = 0; e < num_elements; ++e) {
    if (result.of[e] != Free) continue;
    for (const std::int32_t other : neighbors_of(graph, e))
      if (taken[position(other)] != Free) result.of[e] = taken[position(other)];
  }
  for (std::size_t e = 0; e < num_elements; ++e)
    if (result.of[e] == Free) found(e);
  return result;
}

}  // namespace thallo
