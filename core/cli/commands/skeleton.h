// The files that `thallo new` writes: templates into which the name given by the user is inserted.
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

// Returns the files of assets/templates/WHAT, ordered by name. In them @NAME@ becomes the name
// (tv_denoise), @CLASS@ its form in class names (TvDenoise) and @VERSION@ the version of Thallo
// (0.1.0), in their names NAME the name. Throws UserError if they cannot be read.
std::vector<SkeletonFile> filled_skeleton(std::string_view what, std::string_view name,
                                          std::string_view version);

}  // namespace thallo::cli
