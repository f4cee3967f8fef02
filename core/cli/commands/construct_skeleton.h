// Makes the files that `thallo new construct NAME` writes: a complete construct (sites, choices, a
// spelling, an editor, generated code, a test) that builds outside the source tree against the
// installed package. docs/plugin_guide.md explains them; there the name is skip_zeros.
#pragma once

#include <string_view>
#include <vector>

#include "core/cli/commands/skeleton.h"

namespace thallo::cli {

// `version` is the version that find_package(Thallo) must find: "0.1.0".
std::vector<SkeletonFile> construct_skeleton(std::string_view name, std::string_view version);

}  // namespace thallo::cli
