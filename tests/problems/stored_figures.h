// What schedules of a problem store, as InstanceStorage says it and as their programs do.
#pragma once

#include <cstdint>

#include "tests/problems/small_instances.h"

namespace thallo::test {

// Draws schedules of the instance and expects both to agree on every buffer.
void expect_equal_figures(const SmallInstance& instance, std::uint64_t num_schedules);

}  // namespace thallo::test
