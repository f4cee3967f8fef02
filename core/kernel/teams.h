#pragma once

// Teams: threads of a CUDA kernel that compute a point together. A point that gathers visits a list
// of other points, as the inverse of a map gives it (a camera its observations). The threads of its
// team visit one part of the list each, side by side in memory, and sum up what they found. So do
// those of a member of a batch, with all loops over its other points that add to no memory.
//
// A schedule says how many threads a team has (Section::team), else usual_team() does. Dialect C
// has no teams.

#include <vector>

#include "core/kernel/bind/sizes.h"
#include "core/kernel/code.h"
#include "core/kernel/launch_size.h"

namespace thallo {

// Marks the loops that a team divides.
void divide_loops(const KernelProgram& program, CodeBody& section);

// True if a point of the section has such a loop, not inside of another one.
bool can_have_team(const CodeBody& section);

// Returns these loops.
std::vector<const LoopItem*> divided_loops(const CodeBody& section);

// Returns the mean number of passes of the longest of these loops, over all points of the section.
double mean_visits(const KernelProgram& program, const CodeBody& section,
                   const ProgramSizes& sizes);

// Returns the threads of a section's teams in blocks of that many threads.
int team_of(const KernelProgram& program, const CodeBody& section, const ProgramSizes& sizes,
            int block_size, int num_multiprocessors);

}  // namespace thallo
