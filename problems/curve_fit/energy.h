// The energy of a fit: ½ Σ (y_i - f(b, x_i))² over the observations i.
#pragma once

#include "core/base/diagnostic.h"
#include "core/energy/energy.h"
#include "problems/curve_fit/models.h"

namespace thallo::curve_fit {

// Dims N (observations) and P (parameters); the unknown b over P; arrays y and x1, x2 ... over N.
Expected<Energy> make_energy(const Model& model);

}  // namespace thallo::curve_fit
