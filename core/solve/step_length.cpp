#include "core/solve/step_length.h"

namespace thallo {
namespace {

// From which relative decrease on a step is made longer.
constexpr double LeastToLengthen = 1.25;

}  // namespace

bool is_worse(const TrialStep& step, double cost) { return !step.is_finite() || step.cost > cost; }

std::optional<double> longer_step(const TrialStep& step, double most) {
  if (step.relative_decrease < LeastToLengthen || most == 1) return {};
  const double slope = 2 * step.promised - step.damped_norm2;  // delta.b
  const double curvature = 2 * (slope - step.cost_change);
  return curvature * most > slope ? slope / curvature : most;
}

}  // namespace thallo
