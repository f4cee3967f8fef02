#include "core/energy/found/content_hash.h"

#include <algorithm>

#include "core/ir/missing_nodes.h"

namespace thallo {

Hash128 ContentHash::of(ExprId expression, const std::vector<DomainId>& domains) {
  domains_ = &domains;
  memo_ = &memos_[domains];
  for (const ExprId id : missing_nodes(graph_, expression, *memo_)) memo_->emplace(id, own(id));
  return memo_->at(expression);
}

Hash128 ContentHash::own(ExprId expression) {
  const ExprNode& node = graph_[expression];
  Hasher hasher;
  hasher.update(info(node.op).name).update(node.channel);
  const auto field = [&](FieldId id) {
    hasher.update(id.valid() ? names_.fields[id.index()].name : std::string());
  };
  switch (node.op) {
    case Op::Constant: hasher.update(graph_.constant_value(expression)); break;
    case Op::Access:
      field(graph_.field(expression));
      hasher.update(own(graph_.index(expression)));
      break;
    case Op::InBounds:
      hasher.update(own(graph_.index(expression)));
      hasher.update(names_.dims[graph_.bound_dim(expression).index()].name);
      break;
    case Op::IndexValue: hasher.update(own(graph_.index(expression))); break;
    case Op::PowI: hasher.update(graph_.exponent(expression)); break;
    case Op::Sample:
      for (const FieldId image : {graph_.sampler(expression).image, graph_.sampler(expression).dx,
                                  graph_.sampler(expression).dy})
        field(image);
      break;
    case Op::SampleLayer: field(graph_.layers(expression)); break;
    case Op::Sum:
      for (const DomainId domain : graph_.sum_domains(expression)) hasher.update(own(domain));
      break;
    default: break;
  }
  std::vector<Hash128> operands;
  for (const ExprId operand : graph_.operands(expression)) operands.push_back(memo_->at(operand));
  const bool has_no_order =
      node.op == Op::Add || node.op == Op::Mul || node.op == Op::Or || node.op == Op::Eq;
  if (has_no_order) std::ranges::sort(operands);
  for (const Hash128 operand : operands) hasher.update(operand);
  return hasher.finish();
}

Hash128 ContentHash::own(DomainId id) {
  const Domain& domain = graph_.indices().domain(id);
  const auto position = std::ranges::find(*domains_, id);
  Hasher hasher;
  hasher.update(names_.dims[domain.dim.index()].name).update(position - domains_->begin());
  if (position == domains_->end()) hasher.update(domain.name);
  return hasher.finish();
}

Hash128 ContentHash::own(const Affine& component) {
  std::vector<Hash128> terms;
  for (const AffineTerm& term : component.terms) {
    const Atom& atom = graph_.indices().atom(term.atom);
    Hasher hasher;
    hasher.update(term.coefficient);
    if (atom.is_domain()) {
      hasher.update(own(atom.domain));
    } else {
      hasher.update(names_.maps[atom.map.index()].name).update(atom.output);
      hasher.update(own(atom.argument));
    }
    terms.push_back(hasher.finish());
  }
  std::ranges::sort(terms);
  Hasher hasher;
  hasher.update(component.constant);
  for (const Hash128 term : terms) hasher.update(term);
  return hasher.finish();
}

Hash128 ContentHash::own(IndexId index) {
  Hasher hasher;
  for (const Affine& component : graph_.indices()[index]) hasher.update(own(component));
  return hasher.finish();
}

}  // namespace thallo
