#pragma once

// Interpolates images between their texels, as Op::Sample and Op::SampleLayer define
// (core/ir/op.h).

#include "core/energy/binding.h"
#include "core/energy/energy.h"
#include "core/energy/rounded.h"

namespace thallo {

// Returns one channel of an array over two dims at (x, y).
Rounded interpolate(const Energy& energy, const Binding& binding, FieldId image, const Rounded& x,
                    const Rounded& y, int channel);

// Returns one channel of an array over three dims at (x, y) in a layer; texels may be missing.
Rounded interpolate_layer(const Energy& energy, const Binding& binding, FieldId images,
                          const Rounded& x, const Rounded& y, double layer, int channel);

}  // namespace thallo
