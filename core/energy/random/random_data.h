// Tiny data for a random energy. They lie close to multiples of Grid, so that differences of values
// stay clear of thresholds; some dims are empty.
#pragma once

#include "core/energy/binding.h"
#include "core/energy/random/inputs.h"

namespace thallo::random_energy {

// `energy` is what the builder of `in` has made; it is no Problem.
Binding random_data(RandomInputs& in, const Energy& energy);

}  // namespace thallo::random_energy
