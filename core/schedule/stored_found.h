#pragma once

// Reduces an energy with found intermediates (core/energy/found/intermediates.h) to what is
// lowered: the energy as written and only those found intermediates that the plan stores. So a plan
// makes the same kernels whatever else was found, and a plan that stores none makes the kernels of
// the energy as written.

#include "core/schedule/plan.h"

namespace thallo {

struct PlannedEnergy {
  Energy energy;
  Plan plan;
};

// True if the energy has found intermediates that the plan does not store.
bool recomputes_found(const Energy& energy, const Plan& plan);

// Returns the energy without the found intermediates that the plan does not store, and the same
// plan for it.
PlannedEnergy with_stored_found_only(const Energy& energy, const Plan& plan);

}  // namespace thallo
