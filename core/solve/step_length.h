// How long a step is that a linear solve found: shorter where Gauss-Newton went too far, longer
// where Levenberg-Marquardt did not go far enough (docs/algorithms.md).
#pragma once

#include <functional>

#include "core/solve/trial_step.h"

namespace thallo {

// Evaluates the step times a factor; what it evaluated last is the trial point.
using EvaluateTrial = std::function<TrialStep(double factor)>;

// Halves a step for as long as its cost is above `cost`, up to `most` times, and returns the last;
// it is worse still if no half that is allowed is better.
TrialStep halved(TrialStep step, double cost, int most, const EvaluateTrial& evaluate,
                 const std::function<bool()>& is_interrupted);
bool is_worse(const TrialStep& step, double cost);

// Lengthens a step that lowered the cost by much more than the model promised, up to `most` times:
// the model, which drops second derivatives, overestimates the curvature along it, and does so step
// after step with robust losses. The factor is that of the lowest point of the parabola through
// both costs. Returns the step as it is if a longer one is no better.
TrialStep lengthened(TrialStep once, double most, const EvaluateTrial& evaluate);

}  // namespace thallo
