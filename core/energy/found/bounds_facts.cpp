#include "core/energy/found/bounds_facts.h"

#include <algorithm>
#include <iterator>
#include <ranges>

namespace thallo {
namespace {

template <class T>
std::vector<T> union_of(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> result;
  std::ranges::set_union(a, b, std::back_inserter(result));
  return result;
}

}  // namespace

BoundsFacts::BoundsFacts(ExprGraph& graph, const Energy& energy, GroupedOperands& operands,
                         std::span<const ExprId> roots)
    : graph_(graph), energy_(energy), operands_(operands), inlining_(graph, energy) {
  for (const ExprId root : roots) meet(root, {});
  for (const ExprId user : std::views::reverse(operands.reachable(roots))) {
    const std::vector<ExprId> used = operands.of(user);
    const Facts known = facts_.at(user);
    for (std::size_t i = 0; i < used.size(); ++i) meet(used[i], below(user, i, known));
  }
}

// Adds a user of the expression at which `known` holds: the expression keeps common facts only.
void BoundsFacts::meet(ExprId expression, const Facts& known) {
  const auto [facts, is_first] = facts_.try_emplace(expression, known);
  if (is_first) return;
  Facts common;
  std::ranges::set_intersection(facts->second, known, std::back_inserter(common));
  facts->second = std::move(common);
}

// The facts of one operand of `user`, whose own facts are `known`.
BoundsFacts::Facts BoundsFacts::below(ExprId user, std::size_t operand, const Facts& known) {
  const std::vector<ExprId>& used = operands_.of(user);
  Facts facts = known;
  if (graph_[user].op == Op::Mul) {
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (i != operand && graph_.is_boolean(used[i])) facts = union_of(facts, when_true(used[i]));
    }
  } else if (graph_[user].op == Op::Select && operand == 1) {
    facts = union_of(facts, when_true(used[0]));
  } else if (graph_[user].op == Op::Select && operand == 2 && graph_[used[0]].op == Op::Not) {
    facts = union_of(facts, when_true(graph_.operands(used[0]).front()));
  }
  return facts;
}

const BoundsFacts::Facts& BoundsFacts::when_true(ExprId condition) {
  if (const auto known = when_true_.find(condition); known != when_true_.end())
    return known->second;
  return when_true_.emplace(condition, find_when_true(inlining_(condition))).first->second;
}

// The facts without which a condition cannot be true. The condition must read no intermediate.
BoundsFacts::Facts BoundsFacts::find_when_true(ExprId condition) {
  Facts facts;
  for (const ExprId id : graph_.reachable(std::span(&condition, 1))) {
    const Op op = graph_[id].op;
    if (op == Op::InBounds && is_false_without(condition, id)) {
      facts.emplace_back(graph_.index(id), graph_.bound_dim(id));
    } else if (op == Op::Access) {
      const std::vector<DimId>& dims = energy_.field(graph_.field(id)).dims;
      const std::vector<BoundsTest> tests =
          bounds_tests(graph_.indices(), energy_.maps(), dims, graph_.index(id));
      if (tests.empty() || !is_false_without(condition, id)) continue;
      for (const BoundsTest& test : tests)
        facts.emplace_back(graph_.indices().intern(MultiIndex{test.component}), test.dim);
    }
  }
  std::ranges::sort(facts);
  return facts;
}

// Whether the condition is false when the leaf, a bounds test or a read, is 0. Outside of a field
// all channels are 0, so reads of the other channels at the same index become 0 with the leaf.
bool BoundsFacts::is_false_without(ExprId condition, ExprId leaf) {
  const ExprId without = graph_.rewrite(condition, [&](ExprId other) -> std::optional<ExprId> {
    const bool is_same_read = graph_[leaf].op == Op::Access && graph_[other].op == Op::Access &&
                              graph_.field(leaf) == graph_.field(other) &&
                              graph_.index(leaf) == graph_.index(other);
    if (other == leaf || is_same_read) return graph_.constant(0);
    return {};
  });
  return graph_.is_constant(without, 0);
}

// A component lies between two others with the same terms if the constant of one is not larger and
// that of the other not smaller. If both are inside, so is the component.
bool BoundsFacts::is_known(const Affine& component, DimId dim, const Facts& known) const {
  const IndexTable& indices = graph_.indices();
  bool from_below = false;
  bool from_above = false;
  const auto add = [&](const Affine& inside) {
    if (inside.terms != component.terms) return;
    from_below = from_below || inside.constant <= component.constant;
    from_above = from_above || inside.constant >= component.constant;
  };
  for (const auto& [index, of] : known) {
    if (of == dim) add(indices[index].front());
  }
  Affine base = component;
  base.constant = 0;
  const DomainId domain = indices.as_domain(base);
  if (domain.valid() && indices.domain(domain).dim == dim) add(base);
  return from_below && from_above;
}

bool BoundsFacts::is_inside(ExprId expression, const MultiIndex& position,
                            std::span<const DimId> dims) const {
  const IndexId index = graph_.indices().intern(MultiIndex(position));
  const std::vector<BoundsTest> tests = bounds_tests(graph_.indices(), energy_.maps(), dims, index);
  const Facts& known = facts_.at(expression);
  return std::ranges::all_of(
      tests, [&](const BoundsTest& test) { return is_known(test.component, test.dim, known); });
}

}  // namespace thallo
