#include "core/solve/step_length.h"

namespace thallo {
namespace {

// From which relative decrease on a step is made longer.
constexpr double LeastToLengthen = 1.25;

}  // namespace

bool is_worse(const TrialStep& step, double cost) { return !step.is_finite() || step.cost > cost; }

TrialStep halved(TrialStep step, double cost, int most, const EvaluateTrial& evaluate,
                 const std::function<bool()>& is_interrupted) {
  double factor = 1;
  for (int i = 0; i < most && is_worse(step, cost) && !is_interrupted(); ++i) {
    factor /= 2;
    step = evaluate(factor);
  }
  return step;
}

TrialStep lengthened(TrialStep once, double most, const EvaluateTrial& evaluate) {
  if (once.relative_decrease < LeastToLengthen || most == 1) return once;
  const double slope = 2 * once.promised - once.damped_norm2;  // delta.b
  const double curvature = 2 * (slope - once.cost_change);
  TrialStep step = evaluate(curvature * most > slope ? slope / curvature : most);
  if (is_worse(step, once.cost)) step = evaluate(1);
  step.relative_decrease = once.relative_decrease;  // the radius follows that of the model's step
  return step;
}

}  // namespace thallo
