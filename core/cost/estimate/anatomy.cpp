#include "core/cost/estimate/anatomy.h"

#include <algorithm>
#include <utility>

namespace thallo {

Anatomy::Anatomy(const Energy& energy) : energy_(energy), graph_(energy.graph()) {
  Differentiator differentiator(graph_, energy);
  for (const Intermediate& intermediate : energy.intermediates())
    take_apart(intermediate, differentiator);
  for (const ResidualGroup& group : energy.groups()) take_apart(group, differentiator);
}

void Anatomy::take_apart(const Intermediate& intermediate, Differentiator& differentiator) {
  IntermediateAnatomy anatomy{.domains = intermediate.domains,
                              .values = intermediate.values,
                              .derivatives = {},
                              .gradient = FieldId(energy_.fields().size() + intermediates_.size())};
  const IndexId here = graph_.indices().intern(intermediate.domains);
  std::map<ExprId, int> channels;
  std::vector<Gradient> read;  // the same derivatives, as those who read the intermediate see them
  for (const ExprId value : intermediate.values) {
    read.push_back(differentiator.gradient(value));
    for (Partial& partial : read.back()) {
      if (graph_.is_constant(partial.value)) continue;
      const auto [it, is_new] =
          channels.emplace(partial.value, static_cast<int>(anatomy.derivatives.size()));
      if (is_new) anatomy.derivatives.push_back(partial.value);
      partial.value = graph_.access(anatomy.gradient, here, it->second);
    }
  }
  differentiator.define(intermediate.field, intermediate.domains, std::move(read));
  intermediates_.push_back(std::move(anatomy));
}

// The names that the first group over domains of these dims has given them.
DomainSubstitution Anatomy::common_names(const ResidualGroup& group) {
  std::vector<DimId> dims;
  for (const DomainId domain : group.domains) dims.push_back(graph_.indices().domain(domain).dim);
  const std::vector<DomainId>& common =
      domains_of_dims_.try_emplace(std::move(dims), group.domains).first->second;
  DomainSubstitution names;
  for (std::size_t i = 0; i < common.size(); ++i) {
    own_domains_.emplace(group.domains[i], common[i]);
    if (common[i] != group.domains[i])
      names.emplace(group.domains[i], graph_.indices().component(common[i]));
  }
  return names;
}

void Anatomy::take_apart(const ResidualGroup& group, Differentiator& differentiator) {
  const DomainSubstitution names = common_names(group);
  std::vector<ExprId> values;
  std::vector<ExprId> squares;
  for (const ExprId residual : group.residuals) {
    values.push_back(names.empty() ? residual : graph_.substitute(residual, names));
    squares.push_back(graph_.powi(values.back(), 2));
  }
  const ExprId weight =
      group.loss ? loss_weight(graph_, *group.loss, graph_.add(squares)) : ExprId();
  std::vector<ResidualAnatomy>& anatomies = residuals_.emplace_back();
  for (const ExprId value : values)
    anatomies.push_back({value, weight, differentiator.gradient(value)});
}

int Anatomy::intermediate_of(FieldId field) const {
  if (is_gradient(field)) return static_cast<int>(field.index() - energy_.fields().size());
  if (energy_.field(field).kind != FieldKind::Intermediate) return -1;
  const auto found = std::ranges::find(energy_.intermediates(), field, &Intermediate::field);
  return static_cast<int>(found - energy_.intermediates().begin());
}

DomainId Anatomy::own_domain(DomainId domain) const {
  const auto found = own_domains_.find(domain);
  return found == own_domains_.end() ? domain : found->second;
}

}  // namespace thallo
