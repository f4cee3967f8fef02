#include "core/problem/non_finite.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/option_text.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/point_evaluator.h"
#include "core/energy/print.h"

namespace thallo {
namespace {

constexpr std::chrono::seconds MostTime{5};
constexpr std::size_t MostReads = 4;  // shown for one expression

// The sign of a NaN means nothing.
double without_sign_of_nan(double value) { return std::isnan(value) ? std::abs(value) : value; }

enum class LookAt { Values, Derivatives };

class NonFiniteSearch {
 public:
  NonFiniteSearch(const Energy& energy, const Binding& binding, Precision precision, LookAt what)
      : energy_(energy),
        graph_(energy.graph()),
        binding_(binding),
        largest_(precision == Precision::Float ? double{std::numeric_limits<float>::max()}
                                               : std::numeric_limits<double>::max()),
        order_(energy, binding),
        evaluator_(graph_, energy, binding, order_.layout()),
        printer_(graph_, names_of(energy)) {
    evaluator_.set_unknowns(order_.unknowns());
    if (what == LookAt::Values) return;
    excluded_ = order_.excluded();
    evaluator_.set_with_derivatives(true);
  }

  std::optional<std::string> find(const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t g = 0; g < energy_.groups().size(); ++g) {
      for (std::int64_t position = 0; position < order_.num_points(g); ++position) {
        const bool looks_at_clock = position % 1024 == 0;
        if (looks_at_clock && std::chrono::steady_clock::now() - start > MostTime) return {};
        if (looks_at_clock && stop.stop_requested()) return {};
        if (auto found = look_at(energy_.groups()[g], order_.point(g, position))) return found;
      }
    }
    return {};
  }

 private:
  using Point = std::vector<std::int64_t>;

  bool fits(double value) const { return std::abs(value) <= largest_; }  // false for NaN
  // Returns the derivative that does not fit; absent if there is none, or if only values are
  // checked.
  std::optional<Dual::Partial> misfit_of(ExprId expression) {
    for (const Dual::Partial& partial : evaluator_.evaluate(expression).partials) {
      const auto column = static_cast<std::size_t>(evaluator_.accesses()[partial.first].column);
      if (excluded_[column] == 0 && !fits(partial.second.value)) return partial;
    }
    return {};
  }
  bool is_fine(ExprId expression) { return fits(value_of(expression)) && !misfit_of(expression); }
  bool looks_at_derivatives() const { return !excluded_.empty(); }

  double value_of(ExprId expression) {
    return without_sign_of_nan(evaluator_.evaluate(expression).value.value);
  }

  void move_to(std::vector<DomainId> domains, Point point) {
    domains_ = std::move(domains);
    point_ = std::move(point);
    evaluator_.move_to(domains_, point_);
  }

  std::optional<std::string> look_at(const ResidualGroup& group, const Point& point) {
    move_to(group.domains, point);
    for (std::size_t r = 0; r < group.residuals.size(); ++r) {
      const std::string number = group.residuals.size() > 1 ? fmt::format("[{}]", r) : "";
      if (looks_at_derivatives()) {
        const auto misfit = misfit_of(group.residuals[r]);
        if (!misfit) continue;
        const PointEvaluator::Access access = evaluator_.accesses()[misfit->first];
        const std::string what =
            fmt::format("{}{} at {} has the derivative {:g} by {}", group.name, number,
                        place_text(), without_sign_of_nan(misfit->second.value),
                        element_text(access.unknown, access.element, access.channel));
        return fmt::format("{}, because of {}", what, cause_of(group.residuals[r]));
      }
      const double value = value_of(group.residuals[r]);
      if (fits(value * value)) continue;
      const std::string what =
          fmt::format("{}{} at {} is {:g}", group.name, number, place_text(), value);
      if (fits(value)) return what + fmt::format(", whose square is beyond {:.2g}", largest_);
      return fmt::format("{}, since {}", what, cause_of(group.residuals[r]));
    }
    return {};
  }

  // Returns the current point: "(i) = (3)".
  std::string place_text() const {
    std::vector<std::string> names;
    for (const DomainId domain : domains_) names.push_back(graph_.indices().domain(domain).name);
    return fmt::format("({}) = ({})", fmt::join(names, ", "), fmt::join(point_, ", "));
  }

  // Finds the smallest subexpression that does not fit although its operands do, and says so.
  std::string cause_of(ExprId expression) {
    switch (graph_[expression].op) {
      case Op::Access: return cause_of_read(expression);
      case Op::Sum: return cause_of_sum(expression);
      case Op::Select: return cause_of(chosen_branch(expression));
      default: break;
    }
    for (const ExprId operand : graph_.operands(expression))
      if (!is_fine(operand)) return cause_of(operand);
    return cause_text(expression);
  }

  ExprId chosen_branch(ExprId select) {
    const std::vector<ExprId> operands = graph_.operands(select);
    return operands[value_of(operands[0]) != 0 ? 1 : 2];
  }

  // Looks into a stored intermediate.
  std::string cause_of_read(ExprId access) {
    const auto element = evaluator_.element(graph_.field(access), graph_.index(access));
    const Intermediate* intermediate = energy_.find_intermediate(graph_.field(access));
    if (intermediate == nullptr || !element) return cause_text(access);
    move_to(intermediate->domains, order_.point(intermediate->domains, *element));
    return cause_of(intermediate->values[static_cast<std::size_t>(graph_.channel(access))]);
  }

  std::string cause_of_sum(ExprId sum) {
    const std::vector<DomainId> around = domains_;
    const Point at = point_;
    std::vector<DomainId> inner = around;
    const std::vector<DomainId>& loops = graph_.sum_domains(sum);
    inner.insert(inner.end(), loops.begin(), loops.end());
    const ExprId summand = graph_.operands(sum).front();
    for (std::int64_t i = 0; i < binding_.num_points(energy_, loops); ++i) {
      Point point = at;
      const Point loop = order_.point(loops, i);
      point.insert(point.end(), loop.begin(), loop.end());
      move_to(inner, point);
      if (!is_fine(summand)) return cause_of(summand);
    }
    move_to(around, at);
    return cause_text(sum);  // the terms fit, but their sum does not
  }

  // "log(x(i)) is -inf, where x(3) is 0"; "A(3, 1) is inf".
  std::string cause_text(ExprId expression) {
    if (looks_at_derivatives()) return printer_.text(expression) + where_text(expression);
    const double value = value_of(expression);
    const std::string beyond =
        std::isfinite(value) ? fmt::format(", beyond the range of float (3.4e38); {} holds it",
                                           option_text("double"))
                             : "";
    if (graph_[expression].op == Op::Access)
      return fmt::format("{} is {:g}{}", read_text(expression), value, beyond);
    return fmt::format("{} is {:g}{}{}", printer_.text(expression), value, where_text(expression),
                       beyond);
  }

  // Returns what an expression reads: ", where x(3) is 0".
  std::string where_text(ExprId expression) {
    std::vector<std::string> reads;
    for (const ExprId access : graph_.accesses(std::span(&expression, 1))) {
      const auto& domains = graph_.free_domains(access);
      const bool is_here = std::ranges::all_of(
          domains, [&](DomainId d) { return std::ranges::find(domains_, d) != domains_.end(); });
      if (!is_here || reads.size() == MostReads) continue;  // inside a Sum
      reads.push_back(fmt::format("{} is {:g}", read_text(access), value_of(access)));
    }
    return reads.empty() ? "" : fmt::format(", where {}", fmt::join(reads, ", "));
  }

  // "A(3, 1)[0]"
  std::string read_text(ExprId access) {
    return element_text(graph_.field(access),
                        evaluator_.element(graph_.field(access), graph_.index(access)),
                        graph_.channel(access));
  }

  std::string element_text(FieldId id, std::optional<std::int64_t> element, int channel) const {
    const Field& field = energy_.field(id);
    std::string text = field.name;
    if (!field.dims.empty() && !element) text += " outside of it";
    if (!field.dims.empty() && element)
      text += fmt::format("({})", fmt::join(binding_.coordinates(field.dims, *element), ", "));
    if (field.channels > 1) text += fmt::format("[{}]", channel);
    return text;
  }

  const Energy& energy_;
  const ExprGraph& graph_;
  const Binding& binding_;
  double largest_;
  EnergyEvaluator order_;  // only numbers points; its values are not used
  PointEvaluator evaluator_;
  ExprPrinter printer_;
  std::vector<std::uint8_t> excluded_;  // for each unknown scalar; empty if only values are checked
  std::vector<DomainId> domains_;       // with the current point
  Point point_;
};

}  // namespace

std::optional<std::string> find_non_finite(const Energy& energy, const Binding& binding,
                                           Precision precision, const std::stop_token& stop) {
  return NonFiniteSearch(energy, binding, precision, LookAt::Values).find(stop);
}

std::optional<std::string> find_non_finite_derivative(const Energy& energy, const Binding& binding,
                                                      Precision precision,
                                                      const std::stop_token& stop) {
  return NonFiniteSearch(energy, binding, precision, LookAt::Derivatives).find(stop);
}

}  // namespace thallo
