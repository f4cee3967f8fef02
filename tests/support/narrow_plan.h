// Plans that keep what they store in less than the working precision.
#pragma once

#include "core/schedule/plan.h"

namespace thallo::test {

// The strategy for every part, with formats that can be kept in less; what JtJp may be off is
// `tolerance`.
Plan stored_in(ScalarType type, double tolerance, const Energy& energy, Strategy strategy);
// All that the plan stores and that can be kept in less is.
Plan stored_in(ScalarType type, double tolerance, const Energy& energy, Plan plan);

}  // namespace thallo::test
