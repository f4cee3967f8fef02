// The files of `thallo new energy NAME --random SEED`: a random energy as a text of the language,
// and a .toml that binds its inputs to generated data.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/cli/commands/skeleton.h"

namespace thallo::cli {

// Returns NAME.lua and NAME.toml, which are a function of the name and the seed on every platform.
std::vector<SkeletonFile> random_energy_files(std::string_view name, std::uint64_t seed);

}  // namespace thallo::cli
