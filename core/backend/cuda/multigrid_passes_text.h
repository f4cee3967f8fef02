#pragma once

// The parts of the CUDA text of multigrid that are the same for all programs. They use the
// constants and functions that multigrid_source() puts in front of them (multigrid_text.h).

#include <string_view>

namespace thallo::cuda {

std::string_view multigrid_args_text();   // the arguments of both kernels, and what they share
std::string_view multigrid_build_text();  // multigrid_build
std::string_view multigrid_cycle_text();  // multigrid_cycle

}  // namespace thallo::cuda
