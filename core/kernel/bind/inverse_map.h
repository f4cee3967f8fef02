#pragma once

// The entries of the maps of a program, as backends make them when the energy's maps are bound.

#include <cstdint>
#include <vector>

#include "core/energy/binding.h"
#include "core/kernel/bind/lists.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/program.h"

namespace thallo {

// Returns the values of all maps of a program, by MapId: the bound ones, those of tables, and the
// inverses.
std::vector<std::vector<std::int32_t>> map_values(const KernelProgram& program,
                                                  const ProgramSizes& sizes,
                                                  const Binding& binding);

}  // namespace thallo
