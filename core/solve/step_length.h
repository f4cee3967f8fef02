// How long a step is that a linear solve found: shorter where Gauss-Newton went too far, which
// halves it for as long as it is worse than none, and longer where Levenberg-Marquardt did not go
// far enough (docs/algorithms.md).
#pragma once

#include <optional>

#include "core/solve/trial_step.h"

namespace thallo {

bool is_worse(const TrialStep& step, double cost);

// Returns by how much to lengthen a step that lowered the cost by much more than the model
// promised, up to `most` times; nothing for others. The model, which drops second derivatives,
// overestimates the curvature along it, and does so step after step with robust losses. The factor
// is that of the lowest point of the parabola through both costs.
std::optional<double> longer_step(const TrialStep& step, double most);

}  // namespace thallo
