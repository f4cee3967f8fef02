// Seeded random plans: every decision of a Plan that is legal for the energy, in any combination.
#pragma once

#include <cstdint>

#include "core/schedule/plan.h"

namespace thallo::test {

Plan random_plan(const Energy& energy, std::uint64_t seed);

}  // namespace thallo::test
