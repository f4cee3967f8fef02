#include "core/kernel/lowering/pieces.h"

#include <cstdint>
#include <utility>

namespace thallo {
namespace {

// What is computed for each residual.
std::vector<std::vector<ExprId>> roots_by_residual(const PartExpressions& e) {
  std::vector<std::vector<ExprId>> roots(e.residuals.size());
  for (std::size_t r = 0; r < roots.size(); ++r)
    roots[r] = {e.residuals[r], e.weights[r], e.costs[r]};
  for (const std::vector<Target>* targets : {&e.targets, &e.jp_targets}) {
    for (const Target& t : *targets) {
      for (const JacobianEntry& entry : t.entries)
        roots[entry.residual].push_back(entry.derivative);
    }
  }
  return roots;
}

// Counts nodes, each once in a piece.
class PieceCounter {
 public:
  explicit PieceCounter(const ExprGraph& graph) : g_(graph), counted_in_(graph.size()) {}

  void begin_piece() { ++piece_; }
  // The nodes below the roots that the piece has not counted before.
  std::size_t count(std::vector<ExprId> roots) {
    std::size_t nodes = 0;
    while (!roots.empty()) {
      const ExprId id = roots.back();
      roots.pop_back();
      if (std::exchange(counted_in_[id.value()], piece_) == piece_) continue;
      ++nodes;
      for (const ExprId operand : g_.operands(id)) roots.push_back(operand);
    }
    return nodes;
  }

 private:
  const ExprGraph& g_;
  std::vector<std::uint32_t> counted_in_;  // by node: the last piece that has it
  std::uint32_t piece_ = 1;
};

std::vector<Target> of_residuals(const std::vector<Target>& targets, std::size_t begin,
                                 std::size_t end) {
  std::vector<Target> result;
  for (const Target& t : targets) {
    Target piece{t.unknown, t.index, t.channel, t.loops, {}};
    for (const JacobianEntry& entry : t.entries) {
      if (entry.residual >= begin && entry.residual < end)
        piece.entries.push_back({entry.residual - begin, entry.derivative});
    }
    if (!piece.entries.empty()) result.push_back(std::move(piece));
  }
  return result;
}

template <class T>
std::vector<T> slice(const std::vector<T>& values, std::size_t begin, std::size_t end) {
  return {values.begin() + static_cast<std::ptrdiff_t>(begin),
          values.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

std::vector<std::size_t> piece_ends(const ExprGraph& graph, const PartExpressions& e,
                                    std::size_t max_nodes) {
  const std::vector<std::vector<ExprId>> roots = roots_by_residual(e);
  PieceCounter counter(graph);
  std::size_t all = 0;
  for (const std::vector<ExprId>& of_residual : roots) all += counter.count(of_residual);
  if (all <= max_nodes || roots.size() < 2) return {roots.size()};

  const std::size_t most = max_nodes / 2;
  std::vector<std::size_t> ends;
  std::size_t in_piece = 0;
  std::size_t in_all_pieces = 0;
  counter.begin_piece();
  for (std::size_t r = 0; r < roots.size(); ++r) {
    std::size_t added = counter.count(roots[r]);
    if (in_piece > 0 && in_piece + added > most) {
      ends.push_back(r);
      in_piece = 0;
      counter.begin_piece();
      added = counter.count(roots[r]);
    }
    in_piece += added;
    in_all_pieces += added;
  }
  if (in_all_pieces > 2 * all) return {roots.size()};
  ends.push_back(roots.size());
  return ends;
}

std::vector<PartExpressions> in_pieces(const ExprGraph& graph, PartExpressions e,
                                       std::size_t max_nodes) {
  const std::vector<std::size_t> ends = piece_ends(graph, e, max_nodes);
  std::vector<PartExpressions> pieces;
  if (ends.size() == 1) {
    pieces.push_back(std::move(e));
    return pieces;
  }
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    pieces.push_back({.part = e.part,
                      .residuals = slice(e.residuals, begin, end),
                      .weights = slice(e.weights, begin, end),
                      .costs = slice(e.costs, begin, end),
                      .minimized_costs = slice(e.minimized_costs, begin, end),
                      .targets = of_residuals(e.targets, begin, end),
                      .jp_targets = of_residuals(e.jp_targets, begin, end),
                      .has_parallel_sums = e.has_parallel_sums});
    begin = end;
  }
  return pieces;
}

}  // namespace thallo
