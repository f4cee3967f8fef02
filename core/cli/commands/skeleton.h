// What the files that `thallo new` writes have in common: they are texts in which the name that the
// user gave is filled in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thallo::cli {

struct SkeletonFile {
  std::string name;  // relative to the folder that is made
  std::string content;
};

// Lower-case letters, digits and '_', a letter first: part of file, target and class names.
bool is_skeleton_name(std::string_view name);

// How the CMakeLists.txt of every plugin begins: up to where Thallo is found.
extern const std::string_view SkeletonCMakeHead;

// In the contents @NAME@ stands for the name (tv_denoise), @CLASS@ for the same as part of a class
// name (TvDenoise), @VERSION@ for the version of Thallo (0.1.0).
std::vector<SkeletonFile> filled_skeleton(std::vector<SkeletonFile> files, std::string_view name,
                                          std::string_view version);

}  // namespace thallo::cli
