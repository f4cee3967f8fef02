#pragma once

// What is lowered of an energy with found intermediates (core/energy/found/intermediates.h): the
// energy as written, with those alone that the plan stores. So a plan makes the same kernels
// whatever else was found, and one that stores none makes those of the energy as written.

#include "core/schedule/plan.h"

namespace thallo {

struct PlannedEnergy {
  Energy energy;
  Plan plan;
};

// True when the energy has found intermediates that the plan does not store.
bool recomputes_found(const Energy& energy, const Plan& plan);

// The same plan, of the energy without those.
PlannedEnergy with_stored_found_only(const Energy& energy, const Plan& plan);

}  // namespace thallo
