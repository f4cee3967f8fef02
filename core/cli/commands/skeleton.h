// Common parts of the files that `thallo new` writes. They are texts into which the name given by
// the user is inserted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thallo::cli {

struct SkeletonFile {
  std::string name;  // relative to the new folder
  std::string content;
};

// True for a name of lower-case letters, digits and '_' that begins with a letter: it becomes part
// of file, target and class names.
bool is_skeleton_name(std::string_view name);

// The beginning of every plugin's CMakeLists.txt, up to finding Thallo.
extern const std::string_view SkeletonCMakeHead;

// Replaces @NAME@ by the name (tv_denoise), @CLASS@ by its form in class names (TvDenoise), and
// @VERSION@ by the version of Thallo (0.1.0).
std::vector<SkeletonFile> filled_skeleton(std::vector<SkeletonFile> files, std::string_view name,
                                          std::string_view version);

}  // namespace thallo::cli
