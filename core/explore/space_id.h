// Names a space of schedules after what its numbers depend on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/energy/energy.h"
#include "core/schedule/construct.h"
#include "core/schedule/precision.h"

namespace thallo {

// "s" and 12 hexadecimal digits: a hash of the energy with its sites, the constructs with their
// versions, the precision, the memory limit in bytes, and `rules`, which says what else the space
// is made by.
std::string space_id(const Energy& energy, const ConstructRegistry& constructs, Precision precision,
                     std::int64_t memory_limit, std::string_view rules);

}  // namespace thallo
