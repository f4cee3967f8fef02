#include "core/energy/found/coordinates.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "core/base/error.h"
#include "core/ir/missing_nodes.h"

namespace thallo {
namespace {

bool has_index(Op op) { return op == Op::Access || op == Op::InBounds || op == Op::IndexValue; }

}  // namespace

std::vector<DomainId> Coordinates::domains_of(AtomId atom) const {
  const Atom& a = graph_.indices().atom(atom);
  return a.is_domain() ? std::vector{a.domain} : graph_.indices().domains_of(a.argument);
}

int Coordinates::depth(AtomId atom) const {
  const Atom& a = graph_.indices().atom(atom);
  if (a.is_domain()) return 0;
  int deepest = 0;
  for (const Affine& component : graph_.indices()[a.argument]) {
    for (const AffineTerm& term : component.terms) deepest = std::max(deepest, depth(term.atom));
  }
  return deepest + 1;
}

void Coordinates::insert_argument(AtomId lookup, Atoms& atoms) const {
  for (const Affine& component : graph_.indices()[graph_.indices().atom(lookup).argument]) {
    for (const AffineTerm& term : component.terms) atoms.insert(term.atom);
  }
}

Coordinates::Atoms Coordinates::mentioned_by_leaf(ExprId leaf) const {
  Atoms atoms;
  if (!has_index(graph_[leaf].op)) return atoms;
  for (const Affine& component : graph_.indices()[graph_.index(leaf)]) {
    for (const AffineTerm& term : component.terms) atoms.insert(term.atom);
  }
  return atoms;
}

// The atoms that do not depend on a bound domain. A lookup that does still varies with the other
// atoms of its argument, which take its place.
Coordinates::Atoms Coordinates::without_bound(const Atoms& atoms,
                                              const std::vector<DomainId>& bound) const {
  Atoms free;
  for (const AtomId atom : atoms) {
    const bool varies = std::ranges::any_of(domains_of(atom), [&](DomainId domain) {
      return std::ranges::find(bound, domain) != bound.end();
    });
    if (!varies) {
      free.insert(atom);
    } else if (!graph_.indices().atom(atom).is_domain()) {
      Atoms argument;
      insert_argument(atom, argument);
      free.merge(without_bound(argument, bound));
    }
  }
  return free;
}

const Coordinates::Atoms& Coordinates::mentioned(ExprId expression) {
  for (const ExprId id : missing_nodes(graph_, expression, mentioned_)) {
    Atoms atoms = mentioned_by_leaf(id);
    for (const ExprId operand : graph_.operands(id)) {
      const Atoms& own = mentioned_.at(operand);
      atoms.insert(own.begin(), own.end());
    }
    if (graph_[id].op == Op::Sum) atoms = without_bound(atoms, graph_.sum_domains(id));
    mentioned_.emplace(id, std::move(atoms));
  }
  return mentioned_.at(expression);
}

bool Coordinates::vary_together(AtomId a, AtomId b) const {
  const Atom& one = graph_.indices().atom(a);
  const Atom& other = graph_.indices().atom(b);
  if (!one.is_domain() && one.map == other.map && one.argument == other.argument) return false;
  const std::vector<DomainId> own = domains_of(a);
  return std::ranges::any_of(
      domains_of(b), [&](DomainId domain) { return std::ranges::find(own, domain) != own.end(); });
}

// Replaces the deepest lookup by the atoms of its argument, until no two atoms vary together.
std::vector<AtomId> Coordinates::taken_apart(Atoms atoms) const {
  for (;;) {
    AtomId deepest;
    for (const AtomId a : atoms) {
      const bool is_apart =
          std::ranges::none_of(atoms, [&](AtomId b) { return a != b && vary_together(a, b); });
      if (is_apart || depth(a) == 0) continue;
      if (!deepest.valid() || depth(a) > depth(deepest)) deepest = a;
    }
    if (!deepest.valid()) return {atoms.begin(), atoms.end()};
    atoms.erase(deepest);
    insert_argument(deepest, atoms);
  }
}

const std::vector<AtomId>& Coordinates::of(ExprId expression) {
  const auto known = coordinates_.find(expression);
  if (known != coordinates_.end()) return known->second;
  return coordinates_.emplace(expression, taken_apart(mentioned(expression))).first->second;
}

std::vector<AtomId> Coordinates::in_order(ExprId expression, const std::vector<Field>& fields) {
  const std::vector<AtomId>& own = of(expression);
  if (own.size() < 2) return own;
  std::vector<ExprId> leaves;
  for (const ExprId id : graph_.reachable(std::span(&expression, 1))) {
    if (has_index(graph_[id].op)) leaves.push_back(id);
  }
  std::ranges::sort(leaves, {}, [&](ExprId leaf) {
    const bool is_access = graph_[leaf].op == Op::Access;
    const auto width = static_cast<std::ptrdiff_t>(graph_.indices()[graph_.index(leaf)].size());
    return std::tuple(!is_access, -width,
                      is_access ? fields[graph_.field(leaf).index()].name : std::string(),
                      graph_.hash(leaf));
  });
  std::vector<AtomId> ordered;
  const auto append = [&](const auto& self, IndexId index) -> void {
    for (const Affine& component : graph_.indices()[index]) {
      for (const AffineTerm& term : component.terms) {
        if (!std::ranges::binary_search(own, term.atom)) {
          const Atom& atom = graph_.indices().atom(term.atom);
          if (!atom.is_domain()) self(self, atom.argument);
        } else if (std::ranges::find(ordered, term.atom) == ordered.end()) {
          ordered.push_back(term.atom);
        }
      }
    }
  };
  for (const ExprId leaf : leaves) append(append, graph_.index(leaf));
  THALLO_ASSERT_EQ(ordered.size(), own.size());
  return ordered;
}

DimId Coordinates::dim(AtomId coordinate) const {
  const Atom& atom = graph_.indices().atom(coordinate);
  if (atom.is_domain()) return graph_.indices().domain(atom.domain).dim;
  return maps_[atom.map.index()].out[static_cast<std::size_t>(atom.output)];
}

Affine AtomReplacement::replaced(const Affine& component) {
  IndexTable& indices = graph_.indices();
  Affine result{component.constant, {}};
  for (const AffineTerm& term : component.terms) {
    const Atom atom = indices.atom(term.atom);
    Affine piece{0, {{term.atom, 1}}};
    if (const auto found = replacements_.find(term.atom); found != replacements_.end()) {
      piece = found->second;
    } else if (!atom.is_domain()) {
      piece = indices.component(atom.map, atom.output, replaced(atom.argument));
    }
    result = indices.add(result, piece, term.coefficient);
  }
  return result;
}

IndexId AtomReplacement::replaced(IndexId index) {
  MultiIndex result;
  for (const Affine& component : MultiIndex(graph_.indices()[index]))
    result.push_back(replaced(component));
  return graph_.indices().intern(std::move(result));
}

ExprId AtomReplacement::operator()(ExprId expression) {
  for (const ExprId id : missing_nodes(graph_, expression, memo_)) {
    ExprId result = id;
    switch (graph_[id].op) {
      case Op::Access:
        result = graph_.access(graph_.field(id), replaced(graph_.index(id)), graph_.channel(id));
        break;
      case Op::InBounds: {
        const Affine component = graph_.indices()[graph_.index(id)].front();
        result = graph_.in_bounds(replaced(component), graph_.bound_dim(id));
        break;
      }
      case Op::IndexValue: {
        const Affine component = graph_.indices()[graph_.index(id)].front();
        result = graph_.index_value(replaced(component));
        break;
      }
      default: {
        std::vector<ExprId> operands = graph_.operands(id);
        if (operands.empty()) break;
        for (ExprId& operand : operands) operand = memo_.at(operand);
        result = graph_.with_operands(id, operands);
      }
    }
    memo_.emplace(id, result);
  }
  return memo_.at(expression);
}

}  // namespace thallo
