#include "core/diff/symbolic_jacobian.h"

#include <map>
#include <utility>

namespace thallo {

SymbolicJacobian::SymbolicJacobian(const Energy& energy, const Binding& binding)
    : energy_(energy), binding_(binding), order_(energy, binding), graph_(energy.graph()) {
  Differentiator differentiator(graph_, energy);
  for (const ResidualGroup& group : energy.groups()) {
    auto& gradients = gradients_.emplace_back();
    for (const ExprId residual : group.residuals)
      gradients.push_back(differentiator.gradient(residual));
    slopes_.push_back(group.loss ? differentiator.slope(*group.loss) : ExprId());
  }
  evaluator_ = std::make_unique<PointEvaluator>(graph_, energy, binding, order_.layout());
  evaluator_->set_unknowns(order_.unknowns());
}

std::vector<ResidualRow> SymbolicJacobian::rows(std::size_t group, std::int64_t position) {
  const ResidualGroup& own = energy_.groups()[group];
  const std::vector<std::int64_t> point = order_.point(group, position);
  std::vector<ResidualRow> result;
  for (std::size_t i = 0; i < own.residuals.size(); ++i)
    result.push_back(row(point, own.domains, own.residuals[i], gradients_[group][i]));
  if (own.loss) {
    Rounded squared_norm;
    for (const ResidualRow& row : result) squared_norm += row.residual * row.residual;
    const Rounded weight = evaluator_->evaluate(*own.loss, slopes_[group], squared_norm).value;
    for (ResidualRow& row : result) row.weight = weight;
  }
  return result;
}

ResidualRow SymbolicJacobian::row(const std::vector<std::int64_t>& point,
                                  const std::vector<DomainId>& domains, ExprId residual,
                                  const Gradient& gradient) {
  const UnknownLayout& layout = order_.layout();
  ResidualRow result;
  evaluator_->move_to(domains, point);
  result.residual = evaluator_->evaluate(residual).value;

  using LoopPoint = std::vector<std::pair<DomainId, std::int64_t>>;
  std::map<std::pair<IndexId, LoopPoint>, int> numbers;
  for (const Partial& partial : gradient) {
    std::vector<DomainId> all = domains;
    all.insert(all.end(), partial.loops.begin(), partial.loops.end());
    std::int64_t count = 1;
    for (const DomainId domain : partial.loops)
      count *= binding_.extent(graph_.indices().domain(domain).dim);
    for (std::int64_t loop = 0; loop < count; ++loop) {
      std::vector<std::int64_t> coordinates = point;
      LoopPoint at;
      std::int64_t rest = loop;
      for (const DomainId domain : partial.loops) {
        const std::int64_t extent = binding_.extent(graph_.indices().domain(domain).dim);
        coordinates.push_back(rest % extent);
        at.emplace_back(domain, rest % extent);
        rest /= extent;
      }
      if (!partial.loops.empty()) evaluator_->move_to(all, coordinates);
      const auto element = evaluator_->element(partial.unknown, partial.index);
      if (!element) continue;
      const int number =
          numbers.try_emplace({partial.index, at}, static_cast<int>(numbers.size())).first->second;
      result.partials.push_back({{partial.unknown, *element, partial.channel},
                                 layout.column(partial.unknown, *element, partial.channel),
                                 number,
                                 evaluator_->evaluate(partial.value).value});
    }
    if (!partial.loops.empty()) evaluator_->move_to(domains, point);
  }
  return result;
}

Linearization SymbolicJacobian::linearize() {
  std::vector<ResidualRow> all;
  for (std::size_t g = 0; g < energy_.groups().size(); ++g) {
    for (std::int64_t position = 0; position < order_.num_points(g); ++position)
      for (ResidualRow& row : rows(g, position)) all.push_back(std::move(row));
  }
  return {order_.layout(), std::move(all), order_.rounded_cost()};
}

}  // namespace thallo
