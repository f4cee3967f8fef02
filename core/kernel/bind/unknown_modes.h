// What a linear solver that takes_modes() is told of the rows of a matrix over the unknowns.
#pragma once

#include <functional>
#include <vector>

#include "core/kernel/bind/sizes.h"
#include "core/linear/row_modes.h"

namespace thallo {

// An element is what the unknowns over one set of dims have at one point of it. Its modes: each
// channel of a Euclidean unknown by itself, and of SE2 and SE3 the translations and rotations of
// all of the space's poses as one body, written in the tangent space of each pose. If poses map the
// world into their own frames, as those of cameras may, such a motion is the same step for all,
// which is the alternative. A space with more modes than MostModes has none. `read` returns the
// values of an unknown, element by element.
RowModes unknown_modes(const KernelProgram& program, const ProgramSizes& sizes,
                       const std::function<std::vector<double>(FieldId)>& read);

inline constexpr int MostModes = 16;

}  // namespace thallo
