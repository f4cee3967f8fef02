#include "core/cost/pricing/anatomy.h"

#include <algorithm>
#include <utility>

#include "core/schedule/energy_facts.h"

namespace thallo {

Anatomy::Anatomy(const Energy& energy, const std::vector<bool>& parallel_sums)
    : energy_(energy), graph_(energy.graph()) {
  Derivatives derivatives{{graph_, energy}, {graph_, energy}};
  for (const Intermediate& intermediate : energy.intermediates()) {
    take_apart_sums(intermediate.values, parallel_sums, derivatives);
    take_apart(intermediate, derivatives);
  }
  for (const ResidualGroup& group : energy.groups())
    take_apart_sums(group.residuals, parallel_sums, derivatives);
  for (const ResidualGroup& group : energy.groups()) take_apart(group, derivatives);
}

ExprId Anatomy::with_stored_sums(ExprId expression) {
  return stored_sums_.empty() ? expression : graph_.replace(expression, stored_sums_);
}

// In the order of lower_stored() (core/kernel/lowering/stored.cpp).
void Anatomy::take_apart_sums(const std::vector<ExprId>& expressions,
                              const std::vector<bool>& parallel_sums, Derivatives& derivatives) {
  if (std::ranges::find(parallel_sums, true) == parallel_sums.end()) return;
  const std::vector<PlannedSum>& sums = sums_of(energy_);
  const std::vector<ExprId> nodes = graph_.reachable(expressions);
  for (std::size_t s = 0; s < sums.size(); ++s) {
    const ExprId planned = sums[s].sum;
    if (!parallel_sums[s] || stored_sums_.contains(planned) ||
        !std::ranges::binary_search(nodes, planned))
      continue;
    const FieldId values(first_of_sums() + 2 * sums_.size());
    SumAnatomy sum{.planned = s,
                   .domains = graph_.free_domains(planned),
                   .summand = with_stored_sums(graph_.operands(planned).front()),
                   .values = values,
                   .product = FieldId(values.index() + 1)};
    const std::vector<DomainId> summed = graph_.sum_domains(planned);
    sum.points = sum.domains;
    sum.points.insert(sum.points.end(), summed.begin(), summed.end());
    sum.directions = derivatives.direct.gradient(sum.summand);
    sum.here = graph_.indices().intern(sum.domains);
    const Gradient gradient = derivatives.through.gradient(graph_.sum(summed, sum.summand));
    Gradient by_itself;
    if (!gradient.empty()) by_itself = {{values, sum.here, 0, {}, graph_.constant(1)}};
    derivatives.through.define(values, sum.domains, {gradient});
    derivatives.direct.define(values, sum.domains, {by_itself});
    stored_sums_.emplace(planned, graph_.access(values, sum.here, 0));
    sums_.push_back(std::move(sum));
  }
}

void Anatomy::take_apart(const Intermediate& intermediate, Derivatives& derivatives) {
  IntermediateAnatomy anatomy{.domains = intermediate.domains,
                              .gradient = FieldId(energy_.fields().size() + intermediates_.size())};
  const IndexId here = graph_.indices().intern(intermediate.domains);
  std::map<ExprId, int> channels;
  // The derivatives as those who read the intermediate see them.
  const auto as_read = [&](Gradient gradient) {
    for (Partial& partial : gradient) {
      if (graph_.is_constant(partial.value)) continue;
      const auto [it, is_new] =
          channels.emplace(partial.value, static_cast<int>(anatomy.derivatives.size()));
      if (is_new) anatomy.derivatives.push_back(partial.value);
      partial.value = graph_.access(anatomy.gradient, here, it->second);
    }
    return gradient;
  };
  std::vector<Gradient> through, direct;
  for (const ExprId declared : intermediate.values) {
    const ExprId value = with_stored_sums(declared);
    anatomy.values.push_back(value);
    through.push_back(as_read(derivatives.through.gradient(value)));
    if (!sums_.empty()) direct.push_back(as_read(derivatives.direct.gradient(value)));
  }
  derivatives.through.define(intermediate.field, intermediate.domains, std::move(through));
  if (!sums_.empty())
    derivatives.direct.define(intermediate.field, intermediate.domains, std::move(direct));
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

void Anatomy::take_apart(const ResidualGroup& group, Derivatives& derivatives) {
  const DomainSubstitution names = common_names(group);
  std::vector<ExprId> values;
  std::vector<ExprId> squares;
  for (const ExprId declared : group.residuals) {
    const ExprId residual = with_stored_sums(declared);
    values.push_back(names.empty() ? residual : graph_.substitute(residual, names));
    squares.push_back(graph_.powi(values.back(), 2));
  }
  ExprId weight;
  if (group.loss)
    weight =
        applied(graph_, *group.loss, derivatives.through.slope(*group.loss), graph_.add(squares));
  std::vector<ResidualAnatomy>& anatomies = residuals_.emplace_back();
  for (const ExprId value : values) {
    const Gradient& partials = derivatives.through.gradient(value);
    anatomies.push_back(
        {value, weight, partials, sums_.empty() ? partials : derivatives.direct.gradient(value)});
  }
}

int Anatomy::intermediate_of(FieldId field) const {
  if (sum_of(field) >= 0) return -1;
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
