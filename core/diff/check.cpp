#include "core/diff/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include <fmt/format.h>

#include "core/diff/symbolic_jacobian.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/point_evaluator.h"

namespace thallo {
namespace {

using Values = std::vector<double>;

// A derivative from central differences of ever smaller steps, extrapolated to step 0. Rows are
// added until the estimate gets worse. The error of an estimate is the larger of two: the
// extrapolation error, which falls with the step, and the rounding error, which grows as the step
// falls. The estimate with the least error is kept.
class RiddersTable {
 public:
  static constexpr double StepRatio = 1.4;
  static constexpr int MaxRows = 20;

  // `difference` is that of the next smaller step; `rounding` bounds what the rounding of the
  // residuals contributes to it.
  void add(double difference, double rounding) {
    if (is_finished_) return;
    Values row = {difference};
    double factor = 1;
    for (std::size_t j = 1; j <= last_.size(); ++j) {
      factor *= StepRatio * StepRatio;
      row.push_back((row[j - 1] * factor - last_[j - 1]) / (factor - 1));
      const double error =
          std::max({std::abs(row[j] - row[j - 1]), std::abs(row[j] - last_[j - 1]), rounding});
      if (error > best_error_ || !std::isfinite(error)) continue;
      best_error_ = error;
      best_ = row[j];
      best_rounding_ = rounding;
    }
    if (!last_.empty() && std::abs(row.back() - last_.back()) >= 2 * best_error_)
      is_finished_ = true;
    last_ = std::move(row);
  }
  bool is_finished() const { return is_finished_; }
  bool has_estimate() const { return best_error_ < std::numeric_limits<double>::infinity(); }
  double estimate() const { return best_; }
  double rounding() const { return best_rounding_; }
  double error() const { return best_error_; }  // the larger of the two

 private:
  Values last_;
  double best_ = 0;
  double best_rounding_ = 0;
  double best_error_ = std::numeric_limits<double>::infinity();
  bool is_finished_ = false;
};

double largest_magnitude(const HostArray& values) {
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values.value(i))) largest = std::max(largest, std::abs(values.value(i)));
  return largest;
}

struct NumericEntry {
  double value = 0;
  double rounding = 0;  // the part of the error that the rounding of residuals may cause
  double error = 0;     // the whole error estimate
};

// Differentiates the residuals of one point at a time by differences.
class Differences {
 public:
  Differences(const Energy& energy, const Binding& binding, const UnknownLayout& layout,
              const Values& x)
      : energy_(energy),
        layout_(layout),
        base_(x),
        moved_(x),
        evaluator_(energy.graph(), energy, binding, layout) {
    for (const FieldId unknown : energy.unknowns()) {
      largest_[unknown] = largest_magnitude(binding.field(unknown));
    }
    evaluator_.set_unknowns(moved_);
    evaluator_.set_base(base_);
  }

  // Moves to a point of a group and returns the columns that its residuals read.
  const std::set<std::int64_t>& move_to(const ResidualGroup& group,
                                        const std::vector<std::int64_t>& point) {
    residuals_ = &group.residuals;
    evaluator_.move_to(group.domains, point);
    for (const ExprId residual : group.residuals) evaluator_.evaluate(residual);
    return evaluator_.columns_read();
  }

  // d residual / d column for each residual of the point; absent where no table has an estimate.
  std::vector<std::optional<NumericEntry>> differentiate(std::int64_t column) {
    std::vector<std::optional<NumericEntry>> result(residuals_->size());
    const UnknownEntry at = layout_.entry(column);
    double x = 0;
    double scale = 1;  // for a pose, whose coordinates are steps: lengths and angles around 0
    if (energy_.field(at.unknown).manifold == Manifold::Euclidean) {
      x = std::abs(value_of(at));
      if (!std::isfinite(x)) return result;
      scale = std::max({x, 1e-2 * largest_.at(at.unknown), 1e-3});
    }
    for (const double step : {1e-2 * scale, 1e-2 * x, 1e-4 * scale}) {
      if (step == 0) continue;
      const auto found = differentiate(column, step);
      for (std::size_t r = 0; r < result.size(); ++r) {
        if (!found[r] || (result[r] && result[r]->error <= found[r]->error)) continue;
        result[r] = found[r];
      }
      if (std::ranges::all_of(result, is_settled)) break;
    }
    return result;
  }

 private:
  // The value of an entry whose unknown is not a pose.
  double value_of(const UnknownEntry& at) const {
    return base_[static_cast<std::size_t>(layout_.first_value(at.unknown, at.element) +
                                          at.channel)];
  }

  // A number close to `step` whose addition to the entry's value does not round.
  double exact_step(std::int64_t column, double step) const {
    const UnknownEntry at = layout_.entry(column);
    if (energy_.field(at.unknown).manifold != Manifold::Euclidean) return step;
    const double x = value_of(at);
    return (x + step) - x;
  }

  // Whether the entry is known so well that no further table is needed.
  static bool is_settled(const std::optional<NumericEntry>& entry) {
    return entry && entry->error <= 1e-9 * std::abs(entry->value);
  }

  // The same by one table alone, which starts from `step`.
  std::vector<std::optional<NumericEntry>> differentiate(std::int64_t column, double step) {
    const std::size_t size = residuals_->size();
    std::vector<RiddersTable> tables(size);
    Values roundings(size);
    // A difference has two roundings over a width of two steps, so one rounding per step;
    // extrapolation may multiply that by a few.
    constexpr double rounded = 4 * std::numeric_limits<double>::epsilon();
    bool switched = false;
    for (int i = 0; i < RiddersTable::MaxRows && !switched; ++i, step /= RiddersTable::StepRatio) {
      const double h = exact_step(column, step);
      const Values above = residuals_at(column, h, switched, roundings);
      const Values below = residuals_at(column, -h, switched, roundings);
      const double width = 2 * h;
      for (std::size_t r = 0; r < size; ++r) {
        tables[r].add((above[r] - below[r]) / width, rounded * roundings[r] / step);
      }
      if (std::ranges::all_of(tables, &RiddersTable::is_finished)) break;
    }
    layout_.step(base_, column, 0, moved_);

    std::vector<std::optional<NumericEntry>> result(size);
    if (switched) return result;
    for (std::size_t r = 0; r < size; ++r) {
      if (!tables[r].has_estimate()) continue;
      result[r] = {tables[r].estimate(), tables[r].rounding(), tables[r].error()};
    }
    return result;
  }

  // Raises `roundings` to the rounding errors of these residuals, in epsilons.
  Values residuals_at(std::int64_t column, double step, bool& switched, Values& roundings) {
    layout_.step(base_, column, step, moved_);
    evaluator_.restart();
    Values result;
    for (std::size_t r = 0; r < residuals_->size(); ++r) {
      const Rounded& residual = evaluator_.evaluate((*residuals_)[r]).value;
      result.push_back(residual.value);
      // Written so that a NaN replaces a number: a NaN bounds nothing.
      if (!(residual.magnitude <= roundings[r])) roundings[r] = residual.magnitude;
    }
    switched = switched || evaluator_.has_switched();
    return result;
  }

  const Energy& energy_;
  const UnknownLayout& layout_;
  const Values& base_;
  Values moved_;
  PointEvaluator evaluator_;
  const std::vector<ExprId>* residuals_ = nullptr;
  std::map<FieldId, double> largest_;
};

double relative_error(double analytic, const NumericEntry& numeric, double row_maximum) {
  if (!std::isfinite(analytic)) return std::numeric_limits<double>::infinity();
  const double difference = std::abs(analytic - numeric.value) - numeric.rounding;
  if (difference <= 0) return 0;
  return difference / std::max({std::abs(analytic), std::abs(numeric.value), 1e-3 * row_maximum});
}

// The positions to visit, ascending: all of them, or as many distinct ones as the options say,
// drawn with their seed.
std::vector<std::int64_t> draw_positions(std::int64_t count, const CheckOptions& options,
                                         std::size_t group) {
  const std::int64_t wanted = options.max_points_per_group;
  if (wanted <= 0 || count <= wanted) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::mt19937_64 random(options.seed + group);
  std::set<std::int64_t> drawn;
  while (static_cast<std::int64_t>(drawn.size()) < wanted)
    drawn.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count)));
  return {drawn.begin(), drawn.end()};
}

std::string tuple_text(const std::vector<std::int64_t>& values) {
  return fmt::format("({})", fmt::join(values, ", "));
}

}  // namespace

std::string CheckedEntry::text() const {
  return fmt::format(
      "{}[{}] at {}, unknown {}{} channel {}: analytic {:.10g}, numeric {:.10g} (relative error "
      "{:.2g})",
      group, residual, tuple_text(point), unknown, tuple_text(element), channel, analytic, numeric,
      relative_error);
}

std::string CheckResult::brief() const {
  std::string text = fmt::format("{} entries of {} points checked to {:.1g}, {} skipped",
                                 num_checked, num_points, resolution, num_skipped);
  if (worst) text += fmt::format("; worst: {}", worst->text());
  return text;
}

CheckResult check_jacobian(const Energy& energy, const Binding& binding, const JacobianRows& rows,
                           const CheckOptions& options) {
  const EnergyEvaluator order(energy, binding);
  const UnknownLayout& layout = order.layout();
  Differences differences(energy, binding, layout, order.unknowns());
  CheckResult result;

  const auto describe = [&](std::size_t group, std::int64_t position, std::size_t residual,
                            std::int64_t column) {
    const UnknownEntry at = layout.entry(column);
    CheckedEntry entry;
    entry.group = energy.groups()[group].name;
    entry.residual = residual;
    entry.point = order.point(group, position);
    entry.unknown = energy.field(at.unknown).name;
    std::int64_t rest = at.element;
    for (const DimId dim : energy.field(at.unknown).dims) {
      entry.element.push_back(rest % binding.extent(dim));
      rest /= binding.extent(dim);
    }
    entry.channel = at.channel;
    return entry;
  };

  for (std::size_t g = 0; g < energy.groups().size(); ++g) {
    for (const std::int64_t position : draw_positions(order.num_points(g), options, g)) {
      ++result.num_points;
      std::set<std::int64_t> columns =
          differences.move_to(energy.groups()[g], order.point(g, position));
      std::vector<std::map<std::int64_t, double>> analytic;  // per residual: column -> value
      std::vector<double> row_maximum;
      for (const ResidualRow& row : rows(g, position)) {
        auto& entries = analytic.emplace_back();
        double& maximum = row_maximum.emplace_back(0);
        for (const SparseEntry& entry : sparse_row(row)) {
          entries[entry.column] = entry.value;
          columns.insert(entry.column);
          maximum = std::max(maximum, std::abs(entry.value));
        }
      }
      for (const std::int64_t column : columns) {
        const auto numeric = differences.differentiate(column);
        for (std::size_t r = 0; r < numeric.size(); ++r) {
          const auto found = analytic[r].find(column);
          const double a = found == analytic[r].end() ? 0 : found->second;
          if (!numeric[r]) {
            result.num_skipped += found != analytic[r].end();
            continue;
          }
          if (a == 0 && numeric[r]->value == 0) continue;
          ++result.num_checked;
          if (std::abs(a) >= 1e-3 * row_maximum[r] && a != 0) {
            result.resolution = std::max(result.resolution, numeric[r]->rounding / std::abs(a));
          }
          const double error = relative_error(a, *numeric[r], row_maximum[r]);
          if (result.worst && error <= result.worst_relative_error) continue;
          result.worst_relative_error = error;
          result.worst = describe(g, position, r, column);
          result.worst->analytic = a;
          result.worst->numeric = numeric[r]->value;
          result.worst->relative_error = error;
        }
      }
    }
  }
  return result;
}

CheckResult check_derivatives(const Energy& energy, const Binding& binding,
                              const CheckOptions& options) {
  SymbolicJacobian jacobian(energy, binding);
  return check_jacobian(
      energy, binding,
      [&](std::size_t group, std::int64_t position) { return jacobian.rows(group, position); },
      options);
}

}  // namespace thallo
