// Makes the files that `thallo new problem NAME` writes: a small but complete problem (an energy,
// generated and real input, options, a report, a test) that builds outside the source tree against
// the installed package.
#pragma once

#include <string_view>
#include <vector>

#include "core/cli/commands/skeleton.h"

namespace thallo::cli {

// `version` is the version that find_package(Thallo) must find: "0.1.0".
std::vector<SkeletonFile> problem_skeleton(std::string_view name, std::string_view version);

}  // namespace thallo::cli
