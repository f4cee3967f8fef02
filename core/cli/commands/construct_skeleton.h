// The files that `thallo new construct NAME` writes: a construct that is complete (sites, choices,
// a spelling, an editor, code that it generates, a test) and builds outside of the tree against the
// installed package. docs/plugin_guide.md explains them; there the name is skip_zeros.
#pragma once

#include <string_view>
#include <vector>

#include "core/cli/commands/skeleton.h"

namespace thallo::cli {

// `version` is what find_package(Thallo) has to find: "0.1.0".
std::vector<SkeletonFile> construct_skeleton(std::string_view name, std::string_view version);

}  // namespace thallo::cli
