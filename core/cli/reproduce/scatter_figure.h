// Pictures of points, a panel for each case: what was predicted and what was measured.
#pragma once

#include <string>

#include "core/cli/reproduce/reproduction.h"

namespace thallo::cli {

// At least one case must have a curve, whose points are the dots. Both axes of a panel have the
// same range; on its diagonal predictions are right. The values r2 and rho are written into it.
std::string scatter_svg(const Reproduction& made);

}  // namespace thallo::cli
