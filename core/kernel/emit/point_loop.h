// The loop over the points of a section, dialect C. Private to emission.
//
// Points do not depend on each other. Where compilers can make use of that (point_loop.cpp), the
// loop over the first domain says so ("omp simd"): several points are computed at once. A stencil
// reads at neighbors, which do not exist at the border; the loop is over the points inside, where
// they do, and another one computes those at the border.
#pragma once

#include <string>

#include "core/kernel/emit/context.h"

namespace thallo {

std::string point_loop(EmitContext& context, const CodeBody& section);

}  // namespace thallo
