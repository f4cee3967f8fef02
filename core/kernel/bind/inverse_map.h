#pragma once

// The inverse of a sparse map from one dim: for every element of its target the points that the map
// sends there, in ascending order, as a compressed list. Backends make it when the map is bound.

#include <cstdint>
#include <span>
#include <vector>

#include "core/energy/binding.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/program.h"

namespace thallo {

struct CompressedInverse {
  // The points of element i are points[offsets[i]] up to, not including, points[offsets[i + 1]].
  std::vector<std::int32_t> offsets;  // one per element, and the end
  std::vector<std::int32_t> points;   // zeros after the last element's
};

// Values outside [0, num_elements), the missing ones of an optional map, are left out.
CompressedInverse invert(std::span<const std::int32_t> values, std::int64_t num_elements);

// Returns the values of all maps of a program, by MapId: the bound ones, those of tables, and the
// inverses.
std::vector<std::vector<std::int32_t>> map_values(const KernelProgram& program,
                                                  const ProgramSizes& sizes,
                                                  const Binding& binding);

}  // namespace thallo
