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

  // How many expressions were evaluated so far.
  std::int64_t num_evaluations() const { return evaluator_.num_computed(); }

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

// The positions to visit: all of them, or as many distinct ones as the options say, drawn with
// their seed. Ascending, but in a random order where not all may be reached.
std::vector<std::int64_t> draw_positions(std::int64_t count, const CheckOptions& options,
                                         std::mt19937_64& random) {
  const std::int64_t wanted = options.max_points_per_group;
  std::vector<std::int64_t> positions;
  if (wanted <= 0 || count <= wanted) {
    positions.resize(static_cast<std::size_t>(count));
    std::iota(positions.begin(), positions.end(), 0);
  } else {
    std::set<std::int64_t> drawn;
    while (static_cast<std::int64_t>(drawn.size()) < wanted)
      drawn.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count)));
    positions.assign(drawn.begin(), drawn.end());
  }
  if (options.max_evaluations > 0) std::ranges::shuffle(positions, random);
  return positions;
}

std::string tuple_text(const std::vector<std::int64_t>& values) {
  return fmt::format("({})", fmt::join(values, ", "));
}

// What check_jacobian() does, group by group and point by point.
class JacobianCheck {
 public:
  JacobianCheck(const Energy& energy, const Binding& binding, const JacobianRows& rows,
                const CheckOptions& options)
      : energy_(energy),
        binding_(binding),
        rows_(rows),
        options_(options),
        order_(energy, binding),
        differences_(energy, binding, order_.layout(), order_.unknowns()) {}

  CheckResult run() {
    std::vector<GroupToCheck> groups;
    for (std::size_t g = 0; g < energy_.groups().size(); ++g) {
      std::mt19937_64 random(options_.seed + g);
      std::vector<std::int64_t> positions = draw_positions(order_.num_points(g), options_, random);
      num_drawn_ += static_cast<std::int64_t>(positions.size());
      result_.num_all_points += order_.num_points(g);
      if (!positions.empty()) groups.push_back({g, std::move(positions), random});
    }
    // What a group needs less than its share is for the others.
    while (!groups.empty()) {
      for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::int64_t used = differences_.num_evaluations();
        limit_ =
            used + (options_.max_evaluations - used) / static_cast<std::int64_t>(groups.size() - i);
        check_group(groups[i]);
      }
      limit_ = options_.max_evaluations;
      if (is_used_up()) break;
      std::erase_if(groups, [](const GroupToCheck& group) { return group.is_done(); });
    }
    result_.num_evaluations = differences_.num_evaluations();
    return result_;
  }

 private:
  struct GroupToCheck {
    std::size_t group = 0;
    std::vector<std::int64_t> positions;
    std::mt19937_64 random;
    std::size_t num_checked = 0;
    bool is_done() const { return num_checked == positions.size(); }
  };

  bool is_used_up() const {
    return options_.max_evaluations > 0 && differences_.num_evaluations() >= limit_;
  }

  void check_group(GroupToCheck& its) {
    while (!its.is_done() && (its.num_checked == 0 || !is_used_up()))
      check_point(its.group, its.positions[its.num_checked++], its.random);
  }

  void report_progress() const {
    if (!options_.progress) return;
    const auto share = [](std::int64_t done, std::int64_t all) {
      return all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 0;
    };
    options_.progress(std::max(share(result_.num_points - 1, num_drawn_),
                               share(differences_.num_evaluations(), options_.max_evaluations)));
  }

  void check_point(std::size_t group, std::int64_t position, std::mt19937_64& random) {
    ++result_.num_points;
    std::set<std::int64_t> read =
        differences_.move_to(energy_.groups()[group], order_.point(group, position));
    std::vector<AnalyticRow> analytic;
    for (const ResidualRow& row : rows_(group, position)) {
      AnalyticRow& entries = analytic.emplace_back();
      for (const SparseEntry& entry : sparse_row(row)) {
        entries.values[entry.column] = entry.value;
        entries.maximum = std::max(entries.maximum, std::abs(entry.value));
        read.insert(entry.column);
      }
    }
    std::vector<std::int64_t> columns(read.begin(), read.end());
    if (options_.max_evaluations > 0) std::ranges::shuffle(columns, random);
    for (std::size_t i = 0; i < columns.size() && (i == 0 || !is_used_up()); ++i) {
      report_progress();
      check_column(group, position, columns[i], analytic);
    }
  }

  // The analytic entries of a residual at a point, by column.
  struct AnalyticRow {
    std::map<std::int64_t, double> values;
    double maximum = 0;  // magnitude
  };

  void check_column(std::size_t group, std::int64_t position, std::int64_t column,
                    const std::vector<AnalyticRow>& analytic) {
    const auto numeric = differences_.differentiate(column);
    for (std::size_t r = 0; r < numeric.size(); ++r) {
      const auto found = analytic[r].values.find(column);
      const bool is_there = found != analytic[r].values.end();
      const double a = is_there ? found->second : 0;
      if (!numeric[r]) {
        result_.num_skipped += is_there;
        continue;
      }
      if (a == 0 && numeric[r]->value == 0) continue;
      ++result_.num_checked;
      if (std::abs(a) >= 1e-3 * analytic[r].maximum && a != 0)
        result_.resolution = std::max(result_.resolution, numeric[r]->rounding / std::abs(a));
      const double error = relative_error(a, *numeric[r], analytic[r].maximum);
      if (result_.worst && error <= result_.worst_relative_error) continue;
      result_.worst_relative_error = error;
      result_.worst = described(group, position, r, column);
      result_.worst->analytic = a;
      result_.worst->numeric = numeric[r]->value;
      result_.worst->relative_error = error;
    }
  }

  CheckedEntry described(std::size_t group, std::int64_t position, std::size_t residual,
                         std::int64_t column) const {
    const UnknownEntry at = order_.layout().entry(column);
    CheckedEntry entry;
    entry.group = energy_.groups()[group].name;
    entry.residual = residual;
    entry.point = order_.point(group, position);
    entry.unknown = energy_.field(at.unknown).name;
    std::int64_t rest = at.element;
    for (const DimId dim : energy_.field(at.unknown).dims) {
      entry.element.push_back(rest % binding_.extent(dim));
      rest /= binding_.extent(dim);
    }
    entry.channel = at.channel;
    return entry;
  }

  const Energy& energy_;
  const Binding& binding_;
  const JacobianRows& rows_;
  const CheckOptions& options_;
  const EnergyEvaluator order_;
  Differences differences_;
  std::int64_t num_drawn_ = 0;  // points, over all groups
  std::int64_t limit_ = 0;      // of evaluations, for the group that is checked
  CheckResult result_;
};

}  // namespace

std::string CheckedEntry::text() const {
  return fmt::format(
      "{}[{}] at {}, unknown {}{} channel {}: analytic {:.10g}, numeric {:.10g} (relative error "
      "{:.2g})",
      group, residual, tuple_text(point), unknown, tuple_text(element), channel, analytic, numeric,
      relative_error);
}

std::string CheckResult::brief() const {
  const std::string of_all =
      num_points < num_all_points ? fmt::format(" of {}", num_all_points) : std::string();
  std::string text = fmt::format("{} entries of {}{} points checked to {:.1g}, {} skipped",
                                 num_checked, num_points, of_all, resolution, num_skipped);
  if (worst) text += fmt::format("; worst: {}", worst->text());
  return text;
}

CheckResult check_jacobian(const Energy& energy, const Binding& binding, const JacobianRows& rows,
                           const CheckOptions& options) {
  return JacobianCheck(energy, binding, rows, options).run();
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
