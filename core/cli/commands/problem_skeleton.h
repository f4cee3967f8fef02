// The files that `thallo new problem NAME` writes: a small problem that is complete (an energy,
// generated and real input, options, a report, a test) and builds outside of the tree against the
// installed package.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thallo::cli {

struct SkeletonFile {
  std::string name;  // relative to the problem's folder
  std::string content;
};

// Lower-case letters, digits and '_', a letter first: part of file, target and class names.
bool is_problem_name(std::string_view name);

// `version` is what find_package(Thallo) has to find: "0.1.0".
std::vector<SkeletonFile> problem_skeleton(std::string_view name, std::string_view version);

}  // namespace thallo::cli
