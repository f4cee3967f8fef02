#pragma once

// The text of the kernel that makes whole iterations of the members of a batch (member_loop.h):
// the decisions of core/solve, as the host has them, and the program's own kernels as functions.

#include <optional>
#include <span>
#include <vector>

#include "core/backend/cuda/compile.h"
#include "core/kernel/generate.h"
#include "core/schedule/precision.h"

namespace thallo::cuda {

inline constexpr int MemberBlockSize = 128;  // threads

// Returns the launches of an iteration, those of each phase in order. Their arguments follow each
// other in the text's struct Phases. Returns none if an iteration has more than kernels of members.
std::vector<const LaunchKernel*> member_launches(const GeneratedProgram& generated);

// Returns nothing if there are no such launches, or more arguments than every device takes.
std::optional<Source> member_loop_source(const GeneratedProgram& generated, Precision precision,
                                         int index_bits);

}  // namespace thallo::cuda
