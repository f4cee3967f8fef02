// The files that `thallo new search NAME` writes: a complete search that builds outside of the
// tree against the installed package.
#pragma once

#include <string_view>
#include <vector>

#include "core/cli/commands/skeleton.h"

namespace thallo::cli {

// `version` is what find_package(Thallo) has to find: "0.1.0".
std::vector<SkeletonFile> search_skeleton(std::string_view name, std::string_view version);

}  // namespace thallo::cli
