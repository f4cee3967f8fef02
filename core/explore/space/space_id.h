// Computes the id of a space of schedules from everything that its numbering depends on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/energy/energy.h"
#include "core/schedule/construct.h"
#include "core/schedule/pins.h"
#include "core/schedule/precision.h"

namespace thallo {

// Returns "s" and 12 hexadecimal digits: a hash of the energy with its sites, the constructs and
// their versions, the precision, the memory limit in bytes, and `rules`, a text that describes any
// further rules of the space.
std::string space_id(const Energy& energy, const ConstructRegistry& constructs, Precision precision,
                     std::int64_t memory_limit, std::string_view rules);
// Returns the id of those schedules of a space that keep the pins; its own id without pins.
std::string pinned_space_id(const std::string& id, const Pins& pins,
                            const ConstructRegistry& constructs);

}  // namespace thallo
