#include "core/energy/loss.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/energy/energy.h"
#include "core/energy/evaluate/point_evaluator.h"
#include "core/energy/expr.h"

namespace thallo {
namespace {

Expr relative(Expr s, Expr a) { return s / (a * a); }

// ρ of soft_l1 and tukey is written without the difference of its formula, which cancels where s is
// small. Where s is not a number, comparisons take the branch that computes with s.
constexpr KnownLoss Known[] = {
    {"arctan", "a² arctan(s/a²)", [](Expr s, Expr a) { return a * a * atan(relative(s, a)); },
     nullptr},
    {"cauchy", "a² log(1 + s/a²)", [](Expr s, Expr a) { return a * a * log(1 + relative(s, a)); },
     nullptr},
    {"geman_mcclure", "s / (1 + s/a²)", [](Expr s, Expr a) { return s / (1 + relative(s, a)); },
     nullptr},
    {"huber", "s where s ≤ a², else 2a√s − a²",
     [](Expr s, Expr a) { return select(s <= a * a, s, 2 * a * sqrt(s) - a * a); }, nullptr},
    {"soft_l1", "2a² (√(1 + s/a²) − 1)",
     [](Expr s, Expr a) { return 2 * s / (sqrt(1 + relative(s, a)) + 1); },
     [](Expr s, Expr a) { return sqrt(1 / (1 + relative(s, a))); }},
    {"tukey", "a²/3 (1 − (1 − s/a²)³) where s ≤ a², else a²/3",
     [](Expr s, Expr a) {
       const Expr x = relative(s, a);
       return select(a * a < s, a * a / 3, s * (1 - x + pow(x, 2) / 3));
     },
     [](Expr s, Expr a) {
       const Expr left = 1 - relative(s, a);
       return select(a * a < s, 0, left * left);
     }},
};

// The exponents of ten of the s at which slopes are tried, and how many there are up to the next.
constexpr int First = -12, Last = 12, PerDecade = 4;

// The sign of what is not a number depends on the machine.
double shown(double value) { return std::isnan(value) ? std::abs(value) : value; }

// These return what is wrong with a loss, to follow its name in a message; "" if nothing is.
std::string fault_of_scale(PointEvaluator& evaluator, const Loss& loss) {
  const double scale = evaluator.evaluate(loss.scale).value.value;
  if (scale > 0 && std::isfinite(scale)) return "";
  return fmt::format("has the scale {}; it must be positive and finite", shown(scale));
}

std::string fault_of_function(PointEvaluator& evaluator, const Loss& loss) {
  constexpr double Tolerance = 1e-6;
  const auto [rho, weight] = evaluator.loss(loss, 0);
  if (!(std::abs(rho.value) <= Tolerance * rho.magnitude))
    return fmt::format(
        "has rho(0) = {}; it must be 0: where the residuals are 0, they cost nothing",
        shown(rho.value));
  if (!(std::abs(weight.value - 1) <= Tolerance))
    return fmt::format("has rho'(0) = {}; it must be 1: small residuals count by their squares",
                       shown(weight.value));
  // Rounding must not make a slope negative that is 0. Where it is not a number, solvers say so.
  for (int i = First * PerDecade; i <= Last * PerDecade; ++i) {
    const double s = std::pow(10, static_cast<double>(i) / PerDecade);
    const Rounded slope = evaluator.loss(loss, s).weight;
    if (slope.value < -Tolerance * slope.magnitude)
      return fmt::format(
          "has rho'(s) = {:.3g} at s = {:.3g}; it must not be negative: a larger residual would "
          "cost less",
          slope.value, s);
  }
  return "";
}

}  // namespace

std::span<const KnownLoss> known_losses() { return Known; }

const KnownLoss* find_known_loss(std::string_view name) {
  const auto found = std::ranges::find(Known, name, &KnownLoss::name);
  return found == std::end(Known) ? nullptr : &*found;
}

std::string Loss::title() const {
  return known == nullptr ? "the loss" : fmt::format("the loss {}", known->name);
}

ExprId applied(ExprGraph& graph, const Loss& loss, ExprId function, ExprId s) {
  std::map<ExprId, ExprId> values = {{graph.argument(0), s}};
  if (loss.scale.valid()) values.emplace(graph.argument(1), loss.scale);
  return graph.replace(function, values);
}

std::vector<Diagnostic> check_losses(const Energy& energy, const Binding& binding,
                                     bool that_read_params) {
  const UnknownLayout layout(energy, binding);
  PointEvaluator evaluator(energy.graph(), energy, binding, layout);
  evaluator.move_to({}, {});
  std::vector<Diagnostic> faults;
  for (const ResidualGroup& group : energy.groups()) {
    if (!group.loss) continue;
    const ExprId written = group.loss->written();
    if (energy.graph().accesses(std::span(&written, 1)).empty() == that_read_params) continue;
    const bool is_known = group.loss->known != nullptr;
    const std::string fault = is_known ? fault_of_scale(evaluator, *group.loss)
                                       : fault_of_function(evaluator, *group.loss);
    const std::string who =
        fmt::format("{} of residual group '{}'", group.loss->title(), group.name);
    if (!fault.empty()) {
      faults.push_back({fmt::format("{} {}", who, fault), group.loss->where, {}});
    } else if (!is_known) {
      logger("energy").info(
          "{}: rho' is not negative at {} values of s from 1e{} to 1e{}; that it is nowhere is not "
          "proven",
          who, (Last - First) * PerDecade + 1, First, Last);
    }
  }
  return faults;
}

}  // namespace thallo
