#include "core/solve/stopping_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/solve/trust_region.h"

namespace thallo {
namespace {

constexpr double DoubleRounding = std::numeric_limits<double>::epsilon();
constexpr double FloatRounding = std::numeric_limits<float>::epsilon();
// How many roundings of what they were at the start still make zero of residuals.
constexpr double NumRoundings = 4;
// A start with a larger cost says nothing about zero: of 1e50, which exp(60) makes, double leaves
// more than a cost at which fits end.
constexpr double LargestStart = 1e24;

double squared(double value) { return value * value; }

// From which distance of the relative decrease from 1 on the model tells little of what is left,
// and which part of the tolerance counts then.
constexpr double MostDeviation = 0.25;
constexpr double WhereModelIsOff = 0.1;

// Rounding in float changes a cost by less than this, relative to it.
constexpr double MostRounding = 1e-3;

std::optional<Termination> if_met(bool is_met, Termination why) {
  return is_met ? std::optional(why) : std::nullopt;
}

}  // namespace

ZeroCost::ZeroCost(bool has_double_residuals)
    : rounding_(has_double_residuals ? DoubleRounding : FloatRounding) {}

// Of the residuals at the start only what double leaves of them counts, in float too: a start far
// off is no reason to end before a fit with small residuals is found.
bool ZeroCost::is_reached_by(double cost, double first_cost, const SolverState& state) const {
  return cost <=
         0.5 * squared(rounding_) * at(state, StateSlot::ScaledXNorm2) +
             squared(NumRoundings * DoubleRounding) * (first_cost <= LargestStart ? first_cost : 0);
}

SettledCost::SettledCost(const IterationOptions& options)
    : has_tolerance_(options.effective_function_tolerance().has_value()),
      tolerance_(options.effective_function_tolerance().value_or(0)),
      first_radius_(options.trust_region_radius),
      pcg_ends_early_(options.solver == SolverKind::LevenbergMarquardt && options.pcg_has_test()),
      largest_radius_(options.max_trust_region_radius) {}

bool SettledCost::may_be_short_by_damping(const TrialStep& step) const {
  if (step.damped_norm2 == 0 || step.radius < first_radius_) return false;
  const bool may_grow = step.radius < std::min(FreeRadius, largest_radius_);
  return step.damped_norm2 > 0.5 * step.promised || (may_grow && step.is_exact());
}

bool SettledCost::is_doubtful(const TrialStep& step) const {
  return step.is_cut || (pcg_ends_early_ && !step.solved_directly) || may_be_short_by_damping(step);
}

bool SettledCost::is_reached_by(const TrialStep& step, double before) {
  const bool is_model_off = std::abs(step.relative_decrease - 1) > MostDeviation;
  const double most = tolerance_ * before * (is_model_off ? WhereModelIsOff : 1);
  const bool has_settled =
      has_tolerance_ && std::abs(step.cost_change) * step.shortened_by() <= most;
  const bool was_confirming = std::exchange(is_confirming_, has_settled && is_doubtful(step));
  return has_settled && (!is_confirming_ || was_confirming);
}

bool SettledCost::is_confirmed_by_rejection(const TrialStep& step, double cost) const {
  const double most = tolerance_ * cost;
  return has_tolerance_ && (is_confirming_ || !is_doubtful(step)) &&
         std::abs(step.cost_change) <= most && step.promised <= most;
}

bool RoundingFloor::is_reached_by(double promised, double change, double cost) {
  if (!(promised > 0) || !(std::abs(change) <= MostRounding * cost)) return false;
  const Rejection now{promised / cost, std::abs(change) / cost};
  bool is_reached = false;
  for (int i = 0; i < std::min(num_rejections_, Most); ++i) {
    const Rejection& before = rejections_[i];
    is_reached =
        is_reached || (now.promised <= before.promised / 100 && now.changed >= before.changed / 10);
  }
  most_promised_ = num_rejections_ == 0 ? now.promised : std::max(most_promised_, now.promised);
  rejections_[num_rejections_++ % Most] = last_ = now;
  return is_reached;
}

std::optional<Termination> StoppingTests::of_gradient(double cosine,
                                                      const SolverState& state) const {
  return if_met(gradient_tolerance_ > 0 && std::isfinite(at(state, StateSlot::BMax)) &&
                    cosine <= gradient_tolerance_,
                Termination::GradientTolerance);
}

std::optional<Termination> StoppingTests::of_zero_cost(double cost, double first_cost,
                                                       const SolverState& state) const {
  return if_met(has_test_ && zero_cost_.is_reached_by(cost, first_cost, state),
                Termination::ZeroCost);
}

std::optional<Termination> StoppingTests::of_settled_cost(const TrialStep& step, double before) {
  return if_met(settled_cost_.is_reached_by(step, before), Termination::FunctionTolerance);
}

std::optional<Termination> StoppingTests::of_step(const TrialStep& step,
                                                  const SolverState& state) const {
  const double tolerance = parameter_tolerance_;
  if (tolerance == 0 || step.norm == 0 || step.is_cut) return {};  // 0: no step was found
  const double x_norm = std::sqrt(at(state, StateSlot::XNorm2));
  return if_met(!(step.norm * step.shortened_by() > tolerance * (x_norm + tolerance)),
                Termination::ParameterTolerance);
}

std::optional<Termination> StoppingTests::of_rejected_step(const TrialStep& step, double cost,
                                                           const SolverState& state) {
  if (step.norm == 0) return {};  // the linear solve failed: another radius may give a step
  if (step.is_finite()) {
    if (const auto why = of_step(step, state)) return why;
  }
  if (settled_cost_.is_confirmed_by_rejection(step, cost)) return Termination::FunctionTolerance;
  return if_met(rounding_floor_.is_reached_by(step.promised, step.cost_change, cost),
                Termination::RoundingFloor);
}

}  // namespace thallo
