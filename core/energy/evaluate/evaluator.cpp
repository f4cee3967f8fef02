#include "core/energy/evaluate/evaluator.h"

#include <algorithm>
#include <limits>
#include <map>

#include "core/base/error.h"
#include "core/base/stop_scope.h"

namespace thallo {

EnergyEvaluator::EnergyEvaluator(const Energy& energy, const Binding& binding)
    : energy_(energy),
      binding_(binding),
      layout_(energy, binding),
      unknowns_(layout_.gather(binding)),
      first_rows_{0},
      evaluator_(energy.graph(), energy, binding, layout_) {
  for (const ResidualGroup& group : energy.groups()) {
    num_points_.push_back(binding.num_points(energy, group.domains));
    first_rows_.push_back(first_rows_.back() +
                          num_points_.back() * energy.num_residuals_per_point(group));
  }
}

void EnergyEvaluator::set_unknowns(std::vector<double> values) {
  THALLO_ASSERT_EQ(static_cast<std::int64_t>(values.size()), layout_.num_values());
  unknowns_ = std::move(values);
}

std::vector<std::int64_t> EnergyEvaluator::point(std::size_t group, std::int64_t position) const {
  return point(energy_.groups()[group].domains, position);
}

std::vector<std::int64_t> EnergyEvaluator::point(const std::vector<DomainId>& domains,
                                                 std::int64_t position) const {
  std::vector<std::int64_t> point;
  for (const DomainId domain : domains) {
    const std::int64_t extent = binding_.extent(energy_.graph().indices().domain(domain).dim);
    point.push_back(position % extent);
    position /= extent;
  }
  return point;
}

std::int64_t EnergyEvaluator::first_row(std::size_t group, std::int64_t position) const {
  return first_rows_[group] + position * energy_.num_residuals_per_point(energy_.groups()[group]);
}

ResidualPlace EnergyEvaluator::place(std::int64_t row) const {
  THALLO_ASSERT(row >= 0 && row < num_residuals());
  const auto next = std::ranges::upper_bound(first_rows_, row);
  const auto group = static_cast<std::size_t>(next - first_rows_.begin()) - 1;
  const std::int64_t per_point = energy_.num_residuals_per_point(energy_.groups()[group]);
  const std::int64_t local = row - first_rows_[group];
  return {group, point(group, local / per_point), static_cast<std::size_t>(local % per_point)};
}

std::vector<double> EnergyEvaluator::residuals() {
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(num_residuals()));
  evaluator_.set_with_derivatives(false);
  evaluator_.set_unknowns(unknowns_);
  for (std::size_t g = 0; g < energy_.groups().size(); ++g) {
    const ResidualGroup& group = energy_.groups()[g];
    for (std::int64_t position = 0; position < num_points_[g]; ++position) {
      evaluator_.move_to(group.domains, point(g, position));
      for (const ExprId residual : group.residuals)
        result.push_back(evaluator_.evaluate(residual).value.value);
    }
  }
  return result;
}

LossValue EnergyEvaluator::loss_at_point(std::size_t group, const Rounded& squared_norm) {
  const std::optional<Loss>& loss = energy_.groups()[group].loss;
  return loss ? evaluator_.loss(*loss, squared_norm) : LossValue{squared_norm};
}

Rounded EnergyEvaluator::rounded_cost() {
  Rounded sum;
  evaluator_.set_with_derivatives(false);
  evaluator_.set_unknowns(unknowns_);
  for (std::size_t g = 0; g < energy_.groups().size(); ++g) {
    const ResidualGroup& group = energy_.groups()[g];
    for (std::int64_t position = 0; position < num_points_[g]; ++position) {
      check_stop();
      evaluator_.move_to(group.domains, point(g, position));
      Rounded squared_norm;
      for (const ExprId residual : group.residuals) {
        const Rounded r = evaluator_.evaluate(residual).value;
        squared_norm += r * r;
      }
      sum += loss_at_point(g, squared_norm).rho;
    }
  }
  return Rounded::factor(0.5) * sum;
}

std::vector<ResidualRow> EnergyEvaluator::linearize(std::size_t group, std::int64_t position) {
  check_stop();
  evaluator_.set_with_derivatives(true);
  evaluator_.set_unknowns(unknowns_);
  evaluator_.move_to(energy_.groups()[group].domains, point(group, position));
  std::vector<ResidualRow> rows;
  // AccessPartial::access: one number for all accesses at one index expression and one point of the
  // Sums around it, whatever their fields and channels.
  std::map<std::pair<IndexId, std::vector<std::pair<DomainId, std::int64_t>>>, int> numbers;
  for (const ExprId residual : energy_.groups()[group].residuals) {
    const Dual value = evaluator_.evaluate(residual);
    ResidualRow& row = rows.emplace_back();
    row.residual = value.value;
    for (const auto& [variable, derivative] : value.partials) {
      const PointEvaluator::Access& access = evaluator_.accesses()[variable];
      const int number =
          numbers.try_emplace({access.index, access.loops}, static_cast<int>(numbers.size()))
              .first->second;
      row.partials.push_back(
          {{access.unknown, access.element, access.channel}, access.column, number, derivative});
    }
  }
  Rounded squared_norm;
  for (const ResidualRow& row : rows) squared_norm += row.residual * row.residual;
  const Rounded weight = loss_at_point(group, squared_norm).weight;
  for (ResidualRow& row : rows) row.weight = weight;
  return rows;
}

Linearization EnergyEvaluator::linearize() {
  std::vector<ResidualRow> rows;
  rows.reserve(static_cast<std::size_t>(num_residuals()));
  for (std::size_t g = 0; g < energy_.groups().size(); ++g) {
    for (std::int64_t position = 0; position < num_points_[g]; ++position)
      for (ResidualRow& row : linearize(g, position)) rows.push_back(std::move(row));
  }
  return {layout_, std::move(rows), rounded_cost()};
}

std::vector<std::uint8_t> EnergyEvaluator::excluded() { return marks(energy_.exclusions()); }
std::vector<std::uint8_t> EnergyEvaluator::held() { return marks(energy_.held()); }

double EnergyEvaluator::value_at(const std::vector<DomainId>& domains, std::int64_t position,
                                 ExprId expression) {
  check_stop();
  evaluator_.set_with_derivatives(false);
  evaluator_.set_unknowns(unknowns_);
  evaluator_.move_to(domains, point(domains, position));
  return evaluator_.evaluate(expression).value.value;
}

bool EnergyEvaluator::holds(const Exclusion& exclusion, std::int64_t element) {
  return value_at(exclusion.domains, element, exclusion.condition) != 0;
}

EnergyEvaluator::Box EnergyEvaluator::bounds() {
  constexpr double Infinity = std::numeric_limits<double>::infinity();
  const auto size = static_cast<std::size_t>(layout_.size());
  Box box{std::vector(size, -Infinity), std::vector(size, Infinity)};
  for (const Bounds& bounds : energy_.bounds()) {
    const std::int64_t elements = binding_.num_elements(energy_, bounds.unknown);
    for (std::int64_t element = 0; element < elements; ++element) {
      for (std::size_t c = 0; c < bounds.lower.size(); ++c) {
        const auto column =
            static_cast<std::size_t>(layout_.column(bounds.unknown, element, static_cast<int>(c)));
        box.lower[column] = value_at(bounds.domains, element, bounds.lower[c]);
        box.upper[column] = value_at(bounds.domains, element, bounds.upper[c]);
      }
    }
  }
  return box;
}

std::vector<std::uint8_t> EnergyEvaluator::marks(const std::vector<Exclusion>& exclusions) {
  std::vector<std::uint8_t> result(static_cast<std::size_t>(layout_.size()));
  for (const Exclusion& exclusion : exclusions) {
    // The tangent channels of a pose's rotation have the numbers of the first stored ones.
    const auto& held = exclusion.channels;
    const int channels = energy_.field(exclusion.unknown).tangent_channels();
    const std::int64_t elements = binding_.num_elements(energy_, exclusion.unknown);
    for (std::int64_t element = 0; element < elements; ++element) {
      if (!holds(exclusion, element)) continue;
      for (int c = 0; c < channels; ++c)
        if (held.empty() || held.contains(c))
          result[static_cast<std::size_t>(layout_.column(exclusion.unknown, element, c))] = 1;
    }
  }
  return result;
}

}  // namespace thallo
