// Pins to go around: drawn at random, or of a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/energy/energy.h"
#include "core/schedule/pins.h"

namespace thallo::test {

// Returns what a random schedule decides at `count` of its sites (fewer if it has fewer), and what
// these pins need. The same seed gives the same pins.
Pins random_pins(const Energy& energy, std::uint64_t seed, std::size_t count,
                 bool low_level = false);
// Returns the pins of a text that is legal.
Pins pins_from(const Energy& energy, const std::string& text);

}  // namespace thallo::test
