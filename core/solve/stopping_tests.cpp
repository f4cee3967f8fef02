#include "core/solve/stopping_tests.h"

#include <cmath>

namespace thallo {
namespace {

std::optional<Termination> if_met(bool is_met, Termination why) {
  return is_met ? std::optional(why) : std::nullopt;
}

}  // namespace

std::optional<Termination> StoppingTests::of_gradient(double cosine,
                                                      const SolverState& state) const {
  const double tolerance = options_.gradient_tolerance;
  return if_met(tolerance > 0 && std::isfinite(at(state, StateSlot::BMax)) && cosine <= tolerance,
                Termination::GradientTolerance);
}

std::optional<Termination> StoppingTests::of_zero_cost(double cost, double first_cost,
                                                       const SolverState& state) const {
  return if_met(options_.has_test() && zero_cost_.is_reached_by(cost, first_cost, state),
                Termination::ZeroCost);
}

std::optional<Termination> StoppingTests::of_settled_cost(const TrialStep& step, double before) {
  return if_met(settled_cost_.is_reached_by(step, before), Termination::FunctionTolerance);
}

std::optional<Termination> StoppingTests::of_step(const TrialStep& step,
                                                  const SolverState& state) const {
  const double tolerance = options_.parameter_tolerance;
  if (tolerance == 0 || step.norm == 0) return {};  // 0: no step was found
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
