// The generated picture: a town by the water at night, all of it flat areas with sharp borders, as
// deconvolution with sparse differences likes them.
#pragma once

#include "core/base/io/image.h"

namespace thallo::deconvolution {

// Gray, 0 to 1: the town in a picture of `height` pixels and a third more in width, and `border`
// pixels more on each side. The same arguments give the same pixels everywhere.
Image draw_skyline(int height, int border);

}  // namespace thallo::deconvolution
