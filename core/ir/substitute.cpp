// Rebuilding expressions: substitution of domains, replacement of nodes and of leaves. Each call
// rebuilds a shared node once and simplifies what it builds.

#include <algorithm>

#include "core/ir/graph.h"
#include "core/ir/missing_nodes.h"

namespace thallo {

ExprId ExprGraph::with_operands(ExprId id, const std::vector<ExprId>& operands) {
  const ExprNode node = (*this)[id];
  const LineScope scope(*this, id);
  switch (node.op) {
    case Op::PowI: return powi(operands[0], static_cast<int>(node.b));
    case Op::Sum:
      return sum(std::vector(domain_lists_[node.b]), operands[0], static_cast<SumKind>(node.c));
    case Op::Sample:
      return sample(Sampler(samplers_[node.c]), operands[0], operands[1], node.channel);
    case Op::SampleLayer:
      return sample_layer(FieldId(node.c), operands[0], operands[1], operands[2], node.channel);
    default: return apply(node.op, operands);
  }
}

ExprId ExprGraph::replace(ExprId root, const std::map<ExprId, ExprId>& replacements) {
  if (replacements.empty()) return root;
  std::map<ExprId, ExprId> replaced;
  for (const ExprId id : reachable(std::span(&root, 1))) {
    ExprId result = id;
    if (const auto known = replacements.find(id); known != replacements.end()) {
      result = known->second;
    } else if (std::vector<ExprId> rebuilt = operands(id); !rebuilt.empty()) {
      for (ExprId& operand : rebuilt) operand = replaced.at(operand);
      if (rebuilt != operands(id)) result = with_operands(id, rebuilt);
    }
    replaced.emplace(id, result);
  }
  return replaced.at(root);
}

ExprId ExprGraph::rewrite(ExprId root, const LeafRule& replace) {
  Rebuilt known;
  return rewrite(root, replace, known);
}

ExprId ExprGraph::rewrite(ExprId root, const LeafRule& replace, Rebuilt& known) {
  for (const ExprId id : missing_nodes(*this, root, known)) {
    std::vector<ExprId> rebuilt = operands(id);
    ExprId result = id;
    if (!rebuilt.empty()) {
      const std::vector<ExprId> original = rebuilt;
      for (ExprId& operand : rebuilt) operand = known.at(operand);
      if (rebuilt != original) result = with_operands(id, rebuilt);
    }
    const Op op = (*this)[result].op;
    if (rebuilt.empty() || op == Op::Sample || op == Op::SampleLayer) {
      if (const std::optional<ExprId> replacement = replace(result)) result = *replacement;
    }
    known.emplace(id, result);
  }
  return known.at(root);
}

ExprId ExprGraph::substitute(ExprId root, const DomainSubstitution& substitution) {
  Rebuilt known;
  return substitute(root, substitution, known);
}

ExprId ExprGraph::substitute(ExprId root, const DomainSubstitution& substitution, Rebuilt& known) {
  const auto untouched = [&](ExprId id) {
    return std::ranges::none_of(free_domains(id),
                                [&](DomainId d) { return substitution.contains(d); });
  };
  if (untouched(root)) return root;
  if (const auto found = known.find(root); found != known.end()) return found->second;

  const ExprNode node = (*this)[root];
  const LineScope scope(*this, root);
  ExprId result;
  switch (node.op) {
    case Op::Access:
      result =
          access(FieldId(node.a), indices_.substitute(IndexId(node.b), substitution), node.channel);
      break;
    case Op::InBounds: {
      const Affine component = indices_[IndexId(node.a)].front();
      result = in_bounds(indices_.substitute(component, substitution), DimId(node.b));
      break;
    }
    case Op::IndexValue: {
      const Affine component = indices_[IndexId(node.a)].front();
      result = index_value(indices_.substitute(component, substitution));
      break;
    }
    case Op::Sum: {
      // A replacement that mentions a bound domain of this Sum would be captured: rename the bound
      // domain first.
      std::vector<DomainId> incoming;
      for (const DomainId d : free_domains(root)) {
        if (const auto found = substitution.find(d); found != substitution.end()) {
          incoming = merge_domains(incoming, indices_.domains_of(found->second));
        }
      }
      std::vector<DomainId> bound = domain_lists_[node.b];
      DomainSubstitution inner = substitution;
      bool renamed = false;
      for (DomainId& d : bound) {
        inner.erase(d);
        if (!std::ranges::binary_search(incoming, d)) continue;
        std::vector<DomainId> taken = merge_domains(incoming, free_domains(ExprId(node.a)));
        taken.insert(taken.end(), bound.begin(), bound.end());
        const DomainId fresh = indices_.rename(d, taken);
        inner[d] = indices_.component(fresh);
        d = fresh;
        renamed = true;
      }
      const bool same_rules = !renamed && inner.size() == substitution.size();
      const ExprId summand = same_rules ? substitute(ExprId(node.a), substitution, known)
                                        : substitute(ExprId(node.a), inner);
      result = sum(std::move(bound), summand, static_cast<SumKind>(node.c));
      break;
    }
    default: {
      std::vector<ExprId> rebuilt = operands(root);
      for (ExprId& operand : rebuilt) operand = substitute(operand, substitution, known);
      result = with_operands(root, rebuilt);
    }
  }
  known.emplace(root, result);
  return result;
}

}  // namespace thallo
