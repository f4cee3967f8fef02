#pragma once

// A cost model that is corrected by a few measured steps, far fewer than a fit from nothing needs.

#include <memory>

#include "core/cost/learned/training_set.h"
#include "core/cost/model/cost_model.h"

namespace thallo {

// Returns a model for which the time of a step is
//
//   a * (the time that the prior predicts) + sum over terms of c_term * term
//
// with non-negative coefficients for each family of steps (step_inputs.h). They have the least
// squares of relative errors, weighted by the square root of a step's time since short steps matter
// less, plus a penalty for being far from the prior, which is a = 1 and c = 0. So the squares are
// never larger than those of the prior, and a family without steps is predicted as by the prior.
//
// Equal steps in the same order give equal models. The result keeps the prior.
std::unique_ptr<const CostModel> corrected_model(std::shared_ptr<const CostModel> prior,
                                                 const TrainingSet& set);

}  // namespace thallo
